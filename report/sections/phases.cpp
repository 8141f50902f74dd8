#include "replay/timeline/phases.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "passes/host/host_analysis.h"
#include "passes/timing/phases_analysis.h"
#include "report/section.h"
#include "report/text_table.h"
#include "support/decimal_time.h"
#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// A phase of a run with events.
struct PhaseRow {
  Phase phase;
  /// Per iteration.
  int64_t events, ns;
  /// Of device time.
  double ratio;
};

/// Longest first. They sum to the device time and to its events, rounded as reports do. nullopt where phases are not
/// known.
std::optional<std::vector<PhaseRow>> phaseRows(const ReportRun& run) {
  const PhasesAnalysis* facts = knownPhases(run);
  if (facts == nullptr) return std::nullopt;
  const auto& times = facts->times();
  std::vector<int64_t> events, ns;
  int64_t allEvents = 0, allNs = 0;
  for (const PhaseTime& time : times) {
    events.push_back(time.events);
    ns.push_back(time.ns);
    allEvents += time.events;
    allNs += time.ns;
  }
  const std::vector<int64_t> eventsEach = apportion(run.perIteration(allEvents), events, run.iterations);
  const std::vector<int64_t> nsEach = apportion(run.perIteration(allNs), ns, run.iterations);
  std::vector<PhaseRow> rows;
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i].events > 0)
      rows.push_back({static_cast<Phase>(i), eventsEach[i], nsEach[i], shareOf(times[i].ns, allNs)});
  std::ranges::stable_sort(rows, std::ranges::greater(), &PhaseRow::ns);
  return rows;
}

constexpr auto kPhaseFields =
    fields<PhaseRow>(field("name", "", [](auto& row) { return PhaseName{name(row.phase)}; }),
                     field<&PhaseRow::events>("events", "per iteration; together all events of the device"),
                     field<&PhaseRow::ns>("duration_ns", "sum of durations per iteration; of all phases `device_ns`"),
                     field<&PhaseRow::ratio>("ratio", "of device time"));

constexpr auto kPhasesRunFields = fields<ReportRun>(objects<kPhaseFields>(
    "phases", "device time by phase, longest first; null without host", [](auto& run) { return phaseRows(run); }));

constexpr auto kPhaseKernelFields = fields<ReportKernel>(
    field("phase", "in which most of the kernel's time is; null without events, and as `phases`", [](auto& kernel) {
      const auto* facts = knownPhases(kernel.run);
      const auto phase = facts != nullptr ? facts->ofKernel(kernel.id) : std::nullopt;
      return phase ? std::optional(PhaseName{name(*phase)}) : std::nullopt;
    }));

/// A run of one phase has no table.
std::string phasesDetails(const ReportRun& run) {
  const auto rows = phaseRows(run);
  if (!rows || rows->size() < 2) return {};
  using enum TextTable::Align;
  TextTable table;
  table.column("phase", Left);
  table.column("us", Right);
  table.column("share", Right);
  table.column("events", Right);
  for (const PhaseRow& row : *rows)
    table.row({std::string(name(row.phase)), formatUs(row.ns), formatPercent(row.ratio), std::to_string(row.events)});
  constexpr unsigned kColumns = 80;
  return fmt::format("phases, of {} per iteration\n{}", run.timeline->target.eventTimeName(), table.print(kColumns));
}

}  // namespace

const PhasesAnalysis* knownPhases(const ReportRun& run) {
  if (run.facts<HostAnalysis>() == nullptr) return nullptr;
  const auto& facts = run.analyses->get<PhasesAnalysis>(run.id);
  return facts.known() != nullptr ? &facts : nullptr;
}

constinit const ReportSection kPhasesSection{
    .runFields = kPhasesRunFields, .kernelFields = kPhaseKernelFields, .details = phasesDetails};

}  // namespace amdahlc
