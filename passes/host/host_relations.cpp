#include "passes/host/host_relations.h"

#include <algorithm>
#include <optional>

#include "replay/timeline/breakdown.h"

namespace amdahlc {

OperatorNesting operatorNesting(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  OperatorNesting nesting;
  DataLoadingSpans loading(timeline);
  // By thread, the last outermost span. Events come in order of start, those that enclose others first.
  std::vector<HostEventId> span(timeline.tracks.size());
  for (const HostEventId event : host.kind.ids()) {
    const EventKind kind = host.kind[event];
    const HostEventId parent = host.parent[event];  // its number is lower
    HostEventId top = parent.isNone() ? HostEventId() : nesting.top[parent];
    if (top.isNone() && kind == EventKind::Operator) top = event;
    nesting.top.push_back(top);

    HostEventId& around = span[host.track[event]];
    if (!around.isNone() && host.endNs(around) <= host.startNs[event]) around = HostEventId();
    if (around.isNone() && host.durationNs[event] > 0 && loading.isSpan(event)) around = event;
    nesting.dataLoading.push_back(around);
  }
  return nesting;
}

HostIterations::HostIterations(const Timeline& timeline, const OperatorNesting& nesting) : timeline_(timeline) {
  const bool hasExtents =
      std::ranges::any_of(timeline.iterations, [](const Iteration& one) { return one.startNs.has_value(); });
  if (hasExtents || timeline.iterations.size() <= timeline.recordingCount()) return;
  endsNs_.assign(timeline.recordingCount(), INT64_MIN);
  const HostFacts& host = *timeline.host;
  std::vector<std::optional<int64_t>> first(timeline.iterations.size());
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const HostEventId launch = host.launch[event];
    if (launch.isNone() || timeline.iteration[event] == kNoIteration) continue;
    const HostEventId outer = nesting.top[launch].isNone() ? launch : nesting.top[launch];
    const auto iteration = static_cast<size_t>(timeline.iteration[event]);
    auto& ns = first[iteration];
    ns = std::min(ns.value_or(host.startNs[outer]), host.startNs[outer]);
    int64_t& endNs = endsNs_[timeline.iterations[iteration].recording];
    endNs = std::max(endNs, host.endNs(outer));
  }
  for (size_t i = 0; i < first.size(); ++i) {
    // Two iterations may begin in one operator: then the earlier one has no time of its own.
    if (first[i] && (begins_.empty() || *first[i] >= begins_.back().ns))
      begins_.push_back({*first[i], static_cast<int32_t>(i)});
  }
}

int32_t HostIterations::of(HostEventId event) const {
  const HostFacts& host = *timeline_.host;
  if (begins_.empty()) return host.iteration[event];
  const int64_t ns = host.startNs[event];
  const auto next = std::ranges::upper_bound(begins_, ns, {}, &Begin::ns);
  if (next == begins_.begin()) return kNoIteration;
  const int32_t iteration = (next - 1)->iteration;
  return ns < endsNs_[timeline_.iterations[static_cast<size_t>(iteration)].recording] ? iteration : kNoIteration;
}

bool HostIterations::isSelected(HostEventId event) const {
  const int32_t iteration = of(event);
  return iteration != kNoIteration && timeline_.iterations[static_cast<size_t>(iteration)].selected();
}

}  // namespace amdahlc
