#include "passes/host/operator_nesting.h"

#include <vector>

namespace amdahlc {
namespace {

/// By symbol: whether a name is that of a data-loading span. Names are few and events are many.
class DataLoadingNames {
 public:
  explicit DataLoadingNames(const Timeline& timeline)
      : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)) {}

  bool contains(Symbol name) {
    if (name.index >= known_.size()) known_.resize(name.index + 1, Answer::Unknown);
    Answer& answer = known_[name.index];
    if (answer == Answer::Unknown) answer = runtime_.isDataLoading(timeline_.text(name)) ? Answer::Yes : Answer::No;
    return answer == Answer::Yes;
  }

 private:
  enum class Answer : uint8_t { Unknown, No, Yes };
  const Timeline& timeline_;
  const RuntimeAdapter& runtime_;
  std::vector<Answer> known_;
};

}  // namespace

OperatorNesting operatorNesting(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  OperatorNesting nesting;
  DataLoadingNames loading(timeline);
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
    if (around.isNone() && isSpan && host.durationNs[event] > 0 && loading.contains(host.name[event])) around = event;
    nesting.dataLoading.push_back(around);
  }
  return nesting;
}

}  // namespace amdahlc
