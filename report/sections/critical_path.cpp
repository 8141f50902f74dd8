#include <fmt/format.h>

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

using BranchRow = ItemOf<ir::Branch, ReportRun>;

const ir::CriticalPathFacet* criticalPathFacts(const ReportRun& run) {
  return run.cover->facets.get<ir::CriticalPathFacet>();
}

constexpr auto kBranchFields = fields<BranchRow>(
    field<&ir::Branch::join>("join", "kernel with two or more predecessors"),
    field("from",
          "immediate dominator of the join: a kernel id, the name of a graph input, or null for the "
          "virtual entry",
          [](auto& row) { return branchEnd(row.item.from, row.item.fromInput); }),
    field("via", "the predecessor: a kernel id or the name of a graph input",
          [](auto& row) { return branchEnd(row.item.via, row.item.viaInput); }),
    field<&ir::Branch::kernels>(
        "kernels", "on the paths from `from`, excluded, to `via`, included; of many, those nearest to the join"),
    field<&ir::Branch::kernelCount>("kernel_count", "of all of them; null: too costly to count"),
    field("path_ns", "longest path through them, per iteration",
          [](auto& row) { return row.run.perIteration(row.item.pathNs); }),
    field(
        "sum_ns", "sum of all of them, per iteration",
        [](auto& row) { return row.item.sumNs ? std::optional(row.run.perIteration(*row.item.sumNs)) : std::nullopt; }),
    field("path_ratio", "of undisturbed busy time", [](auto& row) { return row.run.busyShare(row.item.pathNs); }),
    field("sum_ratio", "of undisturbed busy time",
          [](auto& row) { return row.item.sumNs ? std::optional(row.run.busyShare(*row.item.sumNs)) : std::nullopt; }));

constexpr auto kPathFields = fields<ReportRun>(
    field("duration_ns", "per iteration",
          [](auto& run) { return run.perIteration(criticalPathFacts(run)->durationNs); }),
    field("ratio", "of undisturbed busy time",
          [](auto& run) { return run.busyShare(criticalPathFacts(run)->durationNs); }),
    field("kernels", "ids from the start", [](auto& run) { return criticalPathFacts(run)->path; }),
    field("ties", "longest paths beyond this one; null if there are 2^63 - 2 or more", [](auto& run) {
      return criticalPathFacts(run)->tiesAreExact() ? std::optional(criticalPathFacts(run)->ties) : std::nullopt;
    }));

constexpr auto kCriticalPathRunFields = fields<ReportRun>(
    objects<kBranchFields>("branches", "branches into joins; null without critical-path",
                           [](auto& run) {
                             const auto* facts = criticalPathFacts(run);
                             return facts ? std::optional(rowsOf<BranchRow>(run, facts->branches)) : std::nullopt;
                           }),
    object<kPathFields>("critical_path", "null without critical-path",
                        [](auto& run) { return criticalPathFacts(run) != nullptr ? &run : nullptr; }));

std::string criticalPathHeadline(const ReportRun& run) {
  const auto* facts = criticalPathFacts(run);
  if (facts == nullptr) return {};
  const int64_t durationNs = run.perIteration(facts->durationNs);
  if (!run.module->hasDataEdges())
    return fmt::format(
        "path by the order of calls and streams: {} us, {} of busy, {}; no data tells what waits for what\n",
        formatUs(durationNs), formatPercent(run.busyShare(facts->durationNs)), plural(facts->path.size(), "kernel"));
  return fmt::format(
      "critical path: {} us, {} of busy, {}{}\n", formatUs(durationNs), formatPercent(run.busyShare(facts->durationNs)),
      plural(facts->path.size(), "kernel"),
      facts->ties && durationNs > 0
          ? fmt::format(", {}{} tied", facts->tiesAreExact() ? "" : "at least ", plural(facts->ties, "other path"))
          : "");
}

}  // namespace

constinit const ReportSection kCriticalPathSection{
    .runFields = kCriticalPathRunFields, .headline = criticalPathHeadline, .after = comparison::keys::kAggregates};

}  // namespace amdahlc
