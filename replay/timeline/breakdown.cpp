#include "replay/timeline/breakdown.h"

#include <algorithm>

#include "replay/runtimes/collectives.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/time_limits.h"

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
  /// The length of a union of intervals, which are added in order of start.
  struct Union {
    int64_t ns = 0, endNs = -kMaxTimeNs;
    void add(const TimeInterval& interval) {
      ns += std::max<int64_t>(0, interval.endNs - std::max(interval.startNs, endNs));
      endNs = std::max(endNs, interval.endNs);
    }
  };
  struct Unions {
    Union computation, communication, both, all;
  };
  DeviceUses uses(timeline);
  std::vector<Unions> ofIteration(timeline.iterations.size());
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.iteration[event] == kNoIteration) continue;
    Unions& unions = ofIteration[static_cast<size_t>(timeline.iteration[event])];
    const TimeInterval interval = timeline.interval(event);
    unions.all.add(interval);
    const DeviceUse use = uses.of(event);
    if (use == DeviceUse::Copy) continue;
    unions.both.add(interval);
    (use == DeviceUse::Computation ? unions.computation : unions.communication).add(interval);
  }
  std::vector<TimeBreakdown> breakdowns;
  for (const Unions& unions : ofIteration) {
    TimeBreakdown& one = breakdowns.emplace_back();
    one.computationNs = unions.computation.ns;
    one.communicationNs = unions.communication.ns;
    one.exposedCommunicationNs = unions.both.ns - one.computationNs;
    one.exposedCopiesNs = unions.all.ns - unions.both.ns;
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
