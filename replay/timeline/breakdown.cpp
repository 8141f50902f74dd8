#include "replay/timeline/breakdown.h"

#include "replay/runtimes/collectives.h"
#include "replay/timeline/interval.h"

namespace amdahlc {

DeviceUses::DeviceUses(const Timeline& timeline) : timeline_(timeline), communicates_(timeline.strings) {}

DeviceUse DeviceUses::of(EventIndex event) {
  if (timeline_.kind[event] != EventKind::Kernel) return DeviceUse::Copy;
  return communicates_.of(timeline_.name[event], isCommunicationKernel) ? DeviceUse::Communication
                                                                        : DeviceUse::Computation;
}

bool DataLoadingSpans::isSpan(HostEventId event) {
  const EventKind kind = timeline_.host->kind[event];
  if (kind != EventKind::Operator && kind != EventKind::Annotation) return false;
  return isName_.of(timeline_.host->name[event], [&](std::string_view name) { return runtime_.isDataLoading(name); });
}

Known<std::vector<TimeBreakdown>> timeBreakdowns(const Timeline& timeline) {
  if (!timeline.hasDevice) return Absence{Absence::Reason::NoDevice};
  if (!timeline.hasStarts) return Absence{Absence::Reason::NoStarts};
  struct Intervals {
    std::vector<TimeInterval> computation, communication, all;
  };
  DeviceUses uses(timeline);
  std::vector<Intervals> ofIteration(timeline.iterations.size());
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.iteration[event] == kNoIteration) continue;
    Intervals& intervals = ofIteration[static_cast<size_t>(timeline.iteration[event])];
    const TimeInterval interval = timeline.interval(event);
    intervals.all.push_back(interval);
    const DeviceUse use = uses.of(event);
    if (use == DeviceUse::Computation) intervals.computation.push_back(interval);
    if (use == DeviceUse::Communication) intervals.communication.push_back(interval);
  }
  std::vector<TimeBreakdown> breakdowns;
  for (Intervals& intervals : ofIteration) {
    TimeBreakdown& one = breakdowns.emplace_back();
    one.computationNs = unionLength(intervals.computation);
    one.communicationNs = unionLength(intervals.communication);
    std::vector<TimeInterval> both = std::move(intervals.communication);
    both.insert(both.end(), intervals.computation.begin(), intervals.computation.end());
    const int64_t bothNs = unionLength(std::move(both));
    one.exposedCommunicationNs = bothNs - one.computationNs;
    one.exposedCopiesNs = unionLength(std::move(intervals.all)) - bothNs;
  }
  return breakdowns;
}

BreakdownStatistics breakdownStatistics(std::span<const TimeBreakdown> iterations, std::optional<size_t> reported) {
  const auto over = [&](int64_t TimeBreakdown::* member) {
    std::vector<int64_t> samples;
    for (const TimeBreakdown& one : iterations) samples.push_back(one.*member);
    return timeOfIterations(samples, reported);
  };
  return {over(&TimeBreakdown::computationNs), over(&TimeBreakdown::communicationNs),
          over(&TimeBreakdown::exposedCommunicationNs), over(&TimeBreakdown::exposedCopiesNs)};
}

std::optional<BreakdownStatistics> breakdownStatistics(const Timeline& timeline) {
  const auto breakdowns = timeBreakdowns(timeline);
  if (!breakdowns) return std::nullopt;
  return breakdownStatistics(ofSelected(timeline, *breakdowns), ReportedIterations(timeline).place());
}

}  // namespace amdahlc
