#include <algorithm>
#include <limits>
#include <optional>

#include "replay/schedule/time_pieces.h"

namespace amdahlc::schedule {
namespace {

class IdleTime {
 public:
  IdleTime(const RunModel& model, const HostActivity& activity)
      : model_(model), calls_(model.calls), timeline_(model.calls.timeline()), activity_(activity) {}

  /// The gap before `event`, which starts at its end.
  void addGap(int64_t fromNs, EventIndex event) {
    const int64_t toNs = timeline_.startNs[event];
    if (!calls_.isFirstOfLaunch(event)) return addWithoutLaunch(fromNs, toNs, event);
    const Call& call = calls_.calls()[calls_.launchOf(event)];
    const int64_t callNs = std::clamp(call.startNs, fromNs, toNs), calledNs = std::clamp(call.endNs, callNs, toNs);
    addHostPieces(calls_, activity_, call.thread, fromNs, callNs,
                  [&](const TimePiece& piece) { sums_.add(piece.kind, piece.name, piece.note, piece.ns); });
    const Symbol callName = calls_.host().name[call.event];
    sums_.add(PieceKind::LaunchCall, callName, PieceNote::None, calledNs - callNs);
    addRelease(toNs - calledNs, event, callName);
  }

  const PieceSums& sums() const { return sums_; }

 private:
  void addWithoutLaunch(int64_t fromNs, int64_t toNs, EventIndex event) {
    const bool isShort = toNs - fromNs <= model_.constants.longestDelayNs();
    const bool isNode = calls_.launchOf(event) != kNoCall;
    const PieceNote note = isShort ? PieceNote::None : isNode ? PieceNote::Unexplained : PieceNote::BeforeRecording;
    sums_.add(isShort ? PieceKind::KernelGap : PieceKind::Unknown, {}, note, toNs - fromNs);
  }

  /// From the end of the launch to the start of the event.
  void addRelease(int64_t ns, EventIndex event, Symbol callName) {
    const Release& release = model_.releases[event];
    if (release.isCarriedIn) return sums_.add(PieceKind::Unknown, {}, PieceNote::BeforeRecording, ns);
    if (release.unexplainedNs > 0) return sums_.add(PieceKind::Unknown, {}, PieceNote::Unexplained, ns);
    switch (release.kind) {
      case Release::Kind::Stream:
        return sums_.add(PieceKind::KernelGap, {}, PieceNote::None, ns);
      case Release::Kind::Source:
        return sums_.add(PieceKind::Dependency, {}, PieceNote::None, ns);
      default:
        return sums_.add(PieceKind::LaunchLatency, callName, PieceNote::None, ns);
    }
  }

  const RunModel& model_;
  const RunCalls& calls_;
  const Timeline& timeline_;
  const HostActivity& activity_;
  PieceSums sums_;
};

}  // namespace

std::vector<TimePiece> idlePieces(const RunModel& model, const HostActivity& activity, int32_t iteration) {
  const RunCalls& calls = model.calls;
  const Timeline& timeline = calls.timeline();
  IdleTime idle(model, activity);
  const auto launchedNs = [&](EventIndex event) {
    const CallIndex launch = calls.launchOf(event);
    return launch == kNoCall ? std::numeric_limits<int64_t>::min() : calls.calls()[launch].endNs;
  };
  // The gap that ends where the events start that are looked at, and the one of them that was launched last.
  int64_t gapNs = 0;
  EventIndex last = kNoEvent;
  const auto close = [&] {
    if (last != kNoEvent) idle.addGap(gapNs, last);
    last = kNoEvent;
  };
  std::optional<int64_t> endNs;
  for (const EventIndex event : model.eventsOfIterations[static_cast<size_t>(iteration)]) {
    const int64_t startNs = timeline.startNs[event];
    if (last != kNoEvent && startNs == timeline.startNs[last]) {
      if (launchedNs(event) > launchedNs(last)) last = event;
    } else {
      close();
      if (endNs && startNs > *endNs) {
        gapNs = *endNs;
        last = event;
      }
    }
    endNs = std::max(endNs.value_or(timeline.endNs(event)), timeline.endNs(event));
  }
  close();
  return idle.sums().pieces();
}

}  // namespace amdahlc::schedule
