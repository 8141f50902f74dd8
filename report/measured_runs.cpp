#include "report/measured_runs.h"

#include <fmt/format.h>

#include "report/verdict.h"
#include "support/printable.h"

namespace amdahlc {

using comparison::MeasuredGroup;
using comparison::MeasuredRun;
using comparison::MeasuredTime;

MeasuredRun measuredRun(const RunReport& run) {
  const TraceTotals& totals = *run.totals;
  const auto measured = [&](const TimeStatistics& time) {
    MeasuredTime result{time.meanNs, time.standardDeviationNs, totals.iterations};
    if (run.onlyMeans()) result.standardDeviationNs.reset();
    return result;
  };
  MeasuredRun result;
  result.label = run.label;
  result.device = run.target.device;
  if (const auto verdict = verdictOn(run); verdict && verdict->trust != TrustLevel::Full)
    (verdict->trust == TrustLevel::None ? result.distrust : result.caution) = verdict->text;
  result.forwards = run.forwards;
  result.busy = measured(totals.busy);
  if (totals.wall) result.wall = measured(*totals.wall);
  if (totals.window) result.window = measured(*totals.window);
  for (const KernelRow& row : run.kernels)
    if (row.time && row.state != ir::KernelState::NoDeviceWork)
      result.kernels.push_back({row.label, row.nodes, row.scope, measured(*row.time)});
  for (const AggregateRow& row : run.byCategory) result.categories.push_back({row.name, measured(row.time)});
  for (const ScopeRow& row : run.byScope) result.scopes.push_back({row.inclusive.name, measured(row.inclusive.time)});
  return result;
}

const MeasuredRun* runBefore(const comparison::Baseline& baseline, const RunReport& run, size_t runs) {
  for (const MeasuredRun& before : baseline.runs)
    if (before.label == run.label) return &before;
  return runs == 1 && baseline.runs.size() == 1 ? &baseline.runs.front() : nullptr;
}

std::string whyNotTrusted(const MeasuredRun& before, const MeasuredRun& after,
                          const comparison::Comparison& comparison) {
  if (!before.distrust.empty()) return fmt::format("the baseline cannot be compared: {}", before.distrust);
  if (!after.distrust.empty()) return fmt::format("the run cannot be compared: {}", after.distrust);
  return comparison.nothingInCommon ? "the run and the baseline have no node in common; are they of one model?" : "";
}

std::string whyNotCompared(const comparison::Baseline& baseline, const RunReport& run) {
  constexpr size_t kMostNames = 8;
  std::string labels;
  for (size_t i = 0; i < baseline.runs.size() && i < kMostNames; ++i)
    labels += fmt::format("{}`{}`", i ? ", " : "", printable(baseline.runs[i].label));
  if (baseline.runs.size() > kMostNames) labels += fmt::format(" and {} more", baseline.runs.size() - kMostNames);
  return fmt::format("`{}` has no run `{}` to compare with; its runs are {}; `-trace=label=file` names a run",
                     printable(baseline.file), printable(run.label), labels);
}

}  // namespace amdahlc
