#include "passes/host/operator_nesting.h"

#include <optional>
#include <vector>

namespace amdahlc {
OperatorNesting operatorNesting(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  OperatorNesting nesting;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  std::vector<std::optional<bool>> isLoadingName(timeline.strings.size());
  const auto isLoading = [&](HostEventId event) {
    std::optional<bool>& known = isLoadingName[host.name[event].index];
    if (!known) known = runtime.isDataLoading(timeline.text(host.name[event]));
    return *known;
  };
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
    const bool isSpan = kind == EventKind::Operator || kind == EventKind::Annotation;
    if (around.isNone() && isSpan && host.durationNs[event] > 0 && isLoading(event)) around = event;
    nesting.dataLoading.push_back(around);
  }
  return nesting;
}

}  // namespace amdahlc
