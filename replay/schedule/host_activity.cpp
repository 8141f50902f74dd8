#include "replay/schedule/host_activity.h"

#include <algorithm>
#include <optional>

#include "replay/runtimes/runtime.h"

namespace amdahlc::schedule {
namespace {

/// The stretches of one thread, from its rows in order of start, the longer ones first.
class Flattener {
 public:
  explicit Flattener(std::vector<HostSegment>& out) : out_(out) {}

  void add(HostEventId event, int64_t startNs, int64_t endNs, bool isInput) {
    closeUntil(startNs);
    // A row that ends after the one around it counts up to that end.
    if (!open_.empty()) endNs = std::min(endNs, open_.back().endNs);
    if (endNs <= startNs) return;
    emit(startNs);
    const HostEventId around = open_.empty() ? HostEventId() : open_.back().input;
    open_.push_back({endNs, event, isInput ? event : around});
    atNs_ = startNs;
  }
  void finish() { closeUntil(std::numeric_limits<int64_t>::max()); }

 private:
  struct Open {
    int64_t endNs;
    HostEventId event, input;
  };

  void closeUntil(int64_t ns) {
    while (!open_.empty() && open_.back().endNs <= ns) {
      emit(open_.back().endNs);
      atNs_ = open_.back().endNs;
      open_.pop_back();
    }
  }

  /// The innermost row from `atNs_` to `untilNs`.
  void emit(int64_t untilNs) {
    if (!open_.empty() && untilNs > atNs_) out_.push_back({atNs_, untilNs, open_.back().event, open_.back().input});
  }

  std::vector<HostSegment>& out_;
  std::vector<Open> open_;
  int64_t atNs_ = 0;
};

}  // namespace

HostActivity::HostActivity(const RunCalls& calls) : ofThread_(calls.threads()) {
  const HostFacts& host = calls.host();
  const Timeline& timeline = calls.timeline();
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  std::vector<std::optional<bool>> isInputName(timeline.strings.size());
  const auto isInput = [&](HostEventId event) {
    std::optional<bool>& known = isInputName[host.name[event].index];
    if (!known) known = runtime.isDataLoading(timeline.text(host.name[event]));
    return *known;
  };
  std::vector<Flattener> flatteners;
  flatteners.reserve(ofThread_.size());
  for (auto& segments : ofThread_) flatteners.emplace_back(segments);
  for (const HostEventId event : host.kind.ids()) {
    const ThreadIndex thread = calls.threadOfTrack(host.track[event]);
    if (thread == kNoTrack) continue;
    const EventKind kind = host.kind[event];
    const bool isSpan = kind == EventKind::Annotation || kind == EventKind::Operator;
    const bool isLoading = isSpan && isInput(event);
    if (!isLoading && kind != EventKind::Operator && kind != EventKind::Runtime && kind != EventKind::Frame &&
        kind != EventKind::ModuleFrame)
      continue;
    flatteners[thread].add(event, host.startNs[event], host.endNs(event), isLoading);
  }
  for (Flattener& flattener : flatteners) flattener.finish();
}

void HostActivity::forEach(ThreadIndex thread, int64_t fromNs, int64_t toNs,
                           const std::function<void(const HostSegment&)>& visit) const {
  const std::vector<HostSegment>& segments = ofThread_[thread];
  auto segment = std::upper_bound(segments.begin(), segments.end(), fromNs,
                                  [](int64_t ns, const HostSegment& one) { return ns < one.endNs; });
  int64_t atNs = fromNs;
  for (; segment != segments.end() && segment->startNs < toNs; ++segment) {
    const int64_t startNs = std::max(segment->startNs, fromNs), endNs = std::min(segment->endNs, toNs);
    if (startNs > atNs) visit({atNs, startNs, {}, {}});
    visit({startNs, endNs, segment->event, segment->input});
    atNs = endNs;
  }
  if (toNs > atNs) visit({atNs, toNs, {}, {}});
}

}  // namespace amdahlc::schedule
