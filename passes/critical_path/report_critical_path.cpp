#include "ir/facets/critical_path.h"
#include "passes/critical_path/path_analysis.h"
#include "passes/manager/json_fields.h"
#include "passes/manager/path_place.h"
#include "support/decimal_time.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// A kernel id, the name of a graph input, or null for the virtual entry.
Json branchEnd(const std::optional<ir::KernelId>& kernel, const std::string& input) {
  return kernel ? Json(*kernel) : nonEmpty(input);
}

struct BranchRow {
  const ReportRun& run;
  const ir::Branch& branch;
};

const ir::CriticalPathFacet* factsOf(const ReportRun& run) { return run.cover->facets.get<ir::CriticalPathFacet>(); }

JsonFields<BranchRow> branchFields() {
  const schema::Json end{{"type", {"integer", "string", "null"}}};
  const auto perIteration = [](const BranchRow& row, const std::optional<int64_t>& ns) {
    return ns ? Json(row.run.perIteration(*ns)) : Json(nullptr);
  };
  return {
      jsonField<BranchRow>("join", schema::count(), "kernel with two or more predecessors",
                           [](auto& row) { return Json(row.branch.join); }),
      jsonField<BranchRow>("from", end,
                           "immediate dominator of the join: a kernel id, the name of a graph input, or null for the "
                           "virtual entry",
                           [](auto& row) { return branchEnd(row.branch.from, row.branch.fromInput); }),
      jsonField<BranchRow>("via", end, "the predecessor: a kernel id or the name of a graph input",
                           [](auto& row) { return branchEnd(row.branch.via, row.branch.viaInput); }),
      jsonField<BranchRow>("kernels", schema::arrayOf(schema::count()),
                           "on the paths from `from`, excluded, to `via`, included; of many, those nearest to the join",
                           [](auto& row) { return Json(row.branch.kernels); }),
      jsonField<BranchRow>("kernel_count", schema::orNull(schema::count()), "of all of them; null: too costly to count",
                           [](auto& row) { return orNull(row.branch.kernelCount); }),
      jsonField<BranchRow>("path_ns", schema::count(), "longest path through them, per iteration",
                           [](auto& row) { return row.run.perIteration(row.branch.pathNs); }),
      jsonField<BranchRow>("sum_ns", schema::orNull(schema::count()), "sum of all of them, per iteration",
                           [perIteration](auto& row) { return perIteration(row, row.branch.sumNs); }),
      jsonField<BranchRow>("path_ratio", schema::quantity(), "of busy time",
                           [](auto& row) { return row.run.busyShare(row.branch.pathNs); }),
      jsonField<BranchRow>(
          "sum_ratio", schema::orNull(schema::quantity()), "of busy time",
          [](auto& row) { return row.branch.sumNs ? Json(row.run.busyShare(*row.branch.sumNs)) : Json(nullptr); }),
  };
}

JsonFields<ReportRun> runFields() {
  return {
      jsonArrayOrNull<ReportRun>("branches", "branches into joins; null without critical-path", branchFields(),
                                 [](const ReportRun& run) -> std::optional<std::vector<BranchRow>> {
                                   if (factsOf(run) == nullptr) return std::nullopt;
                                   std::vector<BranchRow> rows;
                                   for (const ir::Branch& branch : factsOf(run)->branches)
                                     rows.push_back({run, branch});
                                   return rows;
                                 }),
      jsonObjectOrNull<ReportRun>(
          "critical_path", "null without critical-path",
          {jsonField<ReportRun>("duration_ns", schema::count(), "per iteration",
                                [](const ReportRun& run) { return run.perIteration(factsOf(run)->durationNs); }),
           jsonField<ReportRun>("ratio", schema::quantity(), "of busy time",
                                [](const ReportRun& run) { return run.busyShare(factsOf(run)->durationNs); }),
           jsonField<ReportRun>("kernels", schema::arrayOf(schema::count()), "ids from the start",
                                [](const ReportRun& run) { return Json(factsOf(run)->path); }),
           jsonField<ReportRun>("ties", schema::orNull(schema::count()),
                                "longest paths beyond this one; null if there are 2^63 - 2 or more",
                                [](const ReportRun& run) {
                                  return factsOf(run)->tiesAreExact() ? Json(factsOf(run)->ties) : Json(nullptr);
                                })},
          [](const ReportRun& run) { return factsOf(run) != nullptr; }),
  };
}

JsonFields<ReportKernel> kernelFields() {
  return {jsonField<ReportKernel>("critical", schema::orNull(schema::boolean()), "on the reported path",
                                  [](const ReportKernel& kernel) {
                                    const auto place = pathPlace(kernel.run, kernel.id);
                                    return place ? Json(place->critical) : Json(nullptr);
                                  }),
          jsonField<ReportKernel>("slack_ns", schema::orNull(schema::count()), "per iteration",
                                  [](const ReportKernel& kernel) {
                                    const auto place = pathPlace(kernel.run, kernel.id);
                                    return place ? Json(place->slackNs) : Json(nullptr);
                                  })};
}

std::string headline(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::CriticalPathFacet>();
  if (facts == nullptr) return {};
  const int64_t durationNs = run.perIteration(facts->durationNs);
  return fmt::format(
      "critical path: {} us, {} of busy, {}{}\n", formatUs(durationNs), percent(run.busyShare(facts->durationNs)),
      plural(facts->path.size(), "kernel"),
      facts->ties && durationNs > 0
          ? fmt::format(", {}{} tied", facts->tiesAreExact() ? "" : "at least ", plural(facts->ties, "other path"))
          : "");
}

}  // namespace

ReportSection criticalPathSection() {
  return {.runFields = runFields, .kernelFields = kernelFields, .headline = headline, .after = "aggregates"};
}

}  // namespace amdahlc
