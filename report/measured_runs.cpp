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

Absence notInBaseline(const comparison::Baseline& baseline, const RunReport& run) {
  constexpr size_t kMostNames = 8;
  std::string labels;
  for (size_t i = 0; i < baseline.runs.size() && i < kMostNames; ++i)
    labels += fmt::format("{}`{}`", i ? ", " : "", printable(baseline.runs[i].label));
  if (baseline.runs.size() > kMostNames) labels += fmt::format(" and {} more", baseline.runs.size() - kMostNames);
  return {Absence::Reason::NotInBaseline, {printable(baseline.file), printable(run.label), labels}};
}

Known<comparison::Comparison> comparedWithBaseline(const comparison::Baseline& baseline, const RunReport& run,
                                                   size_t runs) {
  using enum Absence::Reason;
  if (!run.totals) return Absence{NoTimes};
  const MeasuredRun* before = runBefore(baseline, run, runs);
  if (before == nullptr) return notInBaseline(baseline, run);
  const MeasuredRun after = measuredRun(run);
  if (!before->distrust.empty()) return Absence{BaselineNotTrusted, {before->distrust}};
  if (!after.distrust.empty()) return Absence{RunNotTrusted, {after.distrust}};
  comparison::Comparison comparison = compare(*before, after);
  if (comparison.nothingInCommon) return Absence{NothingInCommon};
  return comparison;
}

}  // namespace amdahlc
