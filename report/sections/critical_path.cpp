#include "ir/facets/critical_path.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// A kernel id, the name of a graph input, or null for the virtual entry.
std::optional<IntegerOrText> branchEnd(const std::optional<ir::KernelId>& kernel, const std::string& input) {
  if (kernel) return IntegerOrText(static_cast<int64_t>(kernel->index()));
  return input.empty() ? std::nullopt : std::optional(IntegerOrText(input));
}

struct BranchRow {
  const ReportRun& run;
  const ir::Branch& branch;
};

const ir::CriticalPathFacet* criticalPathFacts(const ReportRun& run) {
  return run.cover->facets.get<ir::CriticalPathFacet>();
}

constexpr auto kBranchFields = fields(
    field("join", "kernel with two or more predecessors", [](const BranchRow& row) { return row.branch.join; }),
    field("from",
          "immediate dominator of the join: a kernel id, the name of a graph input, or null for the "
          "virtual entry",
          [](const BranchRow& row) { return branchEnd(row.branch.from, row.branch.fromInput); }),
    field("via", "the predecessor: a kernel id or the name of a graph input",
          [](const BranchRow& row) { return branchEnd(row.branch.via, row.branch.viaInput); }),
    field("kernels", "on the paths from `from`, excluded, to `via`, included; of many, those nearest to the join",
          [](const BranchRow& row) { return row.branch.kernels; }),
    field("kernel_count", "of all of them; null: too costly to count",
          [](const BranchRow& row) { return row.branch.kernelCount; }),
    field("path_ns", "longest path through them, per iteration",
          [](const BranchRow& row) { return row.run.perIteration(row.branch.pathNs); }),
    field("sum_ns", "sum of all of them, per iteration",
          [](const BranchRow& row) {
            return row.branch.sumNs ? std::optional(row.run.perIteration(*row.branch.sumNs)) : std::nullopt;
          }),
    field("path_ratio", "of busy time", [](const BranchRow& row) { return row.run.busyShare(row.branch.pathNs); }),
    field("sum_ratio", "of busy time", [](const BranchRow& row) {
      return row.branch.sumNs ? std::optional(row.run.busyShare(*row.branch.sumNs)) : std::nullopt;
    }));

constexpr auto kPathFields =
    fields(field("duration_ns", "per iteration",
                 [](const ReportRun& run) { return run.perIteration(criticalPathFacts(run)->durationNs); }),
           field("ratio", "of busy time",
                 [](const ReportRun& run) { return run.busyShare(criticalPathFacts(run)->durationNs); }),
           field("kernels", "ids from the start", [](const ReportRun& run) { return criticalPathFacts(run)->path; }),
           field("ties", "longest paths beyond this one; null if there are 2^63 - 2 or more", [](const ReportRun& run) {
             return criticalPathFacts(run)->tiesAreExact() ? std::optional(criticalPathFacts(run)->ties) : std::nullopt;
           }));

constexpr auto kCriticalPathRunFields = fields(
    objects<kBranchFields>("branches", "branches into joins; null without critical-path",
                           [](const ReportRun& run) {
                             const auto* facts = criticalPathFacts(run);
                             return facts ? std::optional(rowsOf<BranchRow>(run, facts->branches)) : std::nullopt;
                           }),
    object<kPathFields>("critical_path", "null without critical-path",
                        [](const ReportRun& run) { return criticalPathFacts(run) != nullptr ? &run : nullptr; }));

std::string criticalPathHeadline(const ReportRun& run) {
  const auto* facts = criticalPathFacts(run);
  if (facts == nullptr) return {};
  const int64_t durationNs = run.perIteration(facts->durationNs);
  return fmt::format(
      "critical path: {} us, {} of busy, {}{}\n", formatUs(durationNs), formatPercent(run.busyShare(facts->durationNs)),
      plural(facts->path.size(), "kernel"),
      facts->ties && durationNs > 0
          ? fmt::format(", {}{} tied", facts->tiesAreExact() ? "" : "at least ", plural(facts->ties, "other path"))
          : "");
}

}  // namespace

constinit const ReportSection kCriticalPathSection{
    .runFields = kCriticalPathRunFields, .headline = criticalPathHeadline, .after = "aggregates"};

}  // namespace amdahlc
