#include "report/measured_runs.h"

#include <fmt/format.h>

#include "ir/facets/bound.h"
#include "ir/facets/timed.h"
#include "passes/trace_bind/fit_text.h"
#include "report/comparison/regressions.h"
#include "report/outputs/rendering.h"
#include "support/name_list.h"
#include "support/printable.h"

namespace amdahlc {

using comparison::MeasuredGroup;
using comparison::MeasuredRun;

comparison::MeasuredTime measuredTime(const RunReport& run, int64_t ns, const std::vector<int64_t>& perIterationNs) {
  if (run.timeline->average == Average::Mean) return comparison::MeasuredTime(ns);
  comparison::Samples samples = run.samples(perIterationNs);
  return samples.empty() ? comparison::MeasuredTime(ns) : comparison::MeasuredTime(std::move(samples));
}

MeasuredRun measuredRun(const RunReport& run) {
  const TraceTotals& totals = *run.totals;
  const auto& timed = *run.cover->facets.get<ir::TimedFacet>();
  const auto measured = [&](const TimeStatistics& time, const std::vector<int64_t>& perIterationNs) {
    return measuredTime(run, time.reportedNs, perIterationNs);
  };
  MeasuredRun result;
  result.label = run.label;
  result.device = run.target.device;
  result.average = run.timeline->average;
  if (const auto& verdict = run.verdict; verdict && verdict->trust != TrustLevel::Full)
    (verdict->trust == TrustLevel::None ? result.distrust : result.caution) = verdict->reason;
  result.forwards = run.forwards;
  result.busy = measured(totals.busy, timed.run.busyNs);
  result.undisturbedBusyNs = totals.undisturbedNs;
  if (totals.wall) result.wall = measured(*totals.wall, *timed.run.wallNs);
  if (totals.window) result.window = measured(*totals.window, *timed.run.windowNs);
  if (run.cover->facets.get<ir::BoundFacet>() != nullptr) {
    const auto& times = run.analyses->get<binding::DeviceTimesByState>(run.id).perIterationNs;
    result.unexplainedNs =
        times[static_cast<size_t>(ir::EventState::Ambiguous)] + times[static_cast<size_t>(ir::EventState::Unknown)];
  }
  for (const KernelRow& row : run.kernels)
    if (row.time && row.state != ir::KernelState::NoDeviceWork)
      result.kernels.push_back({row.label, row.nodes, row.scope, row.category,
                                measured(*row.time, timed.kernels[row.id].perIterationNs),
                                row.state == ir::KernelState::Unbound || row.state == ir::KernelState::Ambiguous});
  const auto group = [&](const AggregateRow& row) {
    return MeasuredGroup{row.name, measured(row.time, row.perIterationNs)};
  };
  for (const AggregateRow& row : run.byCategory) result.categories.push_back(group(row));
  for (const ScopeRow& row : run.byScope) result.scopes.push_back(group(row.inclusive));
  return result;
}

Known<const MeasuredRun*> runBefore(const comparison::Baseline& baseline, const RunReport& run, size_t runs) {
  constexpr size_t kMostNames = 8;
  for (const MeasuredRun& before : baseline.runs)
    if (before.label == run.label) return &before;
  if (runs == 1 && baseline.runs.size() == 1) return &baseline.runs.front();
  const std::string labels = firstFew(
      baseline.runs, [](const MeasuredRun& one) { return fmt::format("`{}`", printable(one.label)); }, kMostNames);
  return Absence{Absence::Reason::NotInBaseline, {printable(baseline.file), printable(run.label), labels}};
}

Known<comparison::Comparison> comparedWithBaseline(const comparison::Baseline& baseline, const RunReport& run,
                                                   size_t runs) {
  if (!run.totals) return Absence{Absence::Reason::NoTimes};
  const auto known = runBefore(baseline, run, runs);
  if (!known) return *known.absence();
  comparison::Comparison comparison = compare(**known, measuredRun(run));
  if (comparison.notComparable) return *comparison.notComparable;
  return comparison;
}

void checkRegressions(const GateInput& input, DiagnosticEngine& diagnostics) {
  const comparison::Baseline& baseline = *input.analyses.options<Rendering>().baseline;
  const Report& report = input.analyses.get<Report>();
  for (const RunReport& run : report.runs) {
    if (!run.totals) continue;
    const TraceLocation trace{run.timeline->file, std::nullopt, std::nullopt};
    const auto fail = [&](const std::string& why) {
      return diagnostics.error(DiagId::Regression, trace, fmt::format("run `{}`: {}", printable(run.label), why));
    };
    const auto comparison = comparedWithBaseline(baseline, run, report.runs.size());
    if (!comparison) {
      fail(describe(*comparison.absence()));
      continue;
    }
    for (const comparison::GateRow& row : gateRows(*comparison, {input.limit, input.hasPrefix}))
      if (!row.regression.empty()) fail(row.regression);
  }
}

}  // namespace amdahlc
