#include <algorithm>
#include <limits>
#include <utility>

#include "replay/schedule/time_pieces.h"

namespace amdahlc::schedule {
namespace {

/// Walks back from the end of a run.
class RunPath {
 public:
  RunPath(const RunModel& model, const HostActivity& activity, int64_t startNs)
      : model_(model), calls_(model.calls), timeline_(model.calls.timeline()), activity_(activity), startNs_(startNs) {
    // Each step is through an event, a wait or a hand-over. Only those of no length at one moment could be met again.
    stepsLeft_ = 4 * (timeline_.size() + calls_.calls().size()) + 4;
  }

  void walkFromEvent(EventIndex event) {
    atNs_ = timeline_.endNs(event);
    event_ = event;
    walk();
  }
  void walkFromThread(ThreadIndex thread, int64_t atNs) {
    atNs_ = atNs;
    thread_ = thread;
    walk();
  }

  /// Summed, in order of time.
  std::vector<TimePiece> pieces() const {
    PieceSums sums;
    for (size_t i = pieces_.size(); i-- > 0;)
      sums.add(pieces_[i].kind, pieces_[i].name, pieces_[i].note, pieces_[i].ns);
    return sums.pieces();
  }

 private:
  void walk() {
    while (atNs_ > startNs_ && stepsLeft_-- > 0) event_ != kNoEvent ? stepFromEvent() : stepFromThread();
    add(PieceKind::Unknown, {}, PieceNote::Unexplained, startNs_);
  }

  /// The piece from `fromNs` to where the walk is, which moves there.
  void add(PieceKind kind, Symbol name, PieceNote note, int64_t fromNs) {
    fromNs = std::max(fromNs, startNs_);
    if (fromNs >= atNs_) return;
    pieces_.push_back({kind, name, note, atNs_ - fromNs});
    atNs_ = fromNs;
  }

  void toEvent(EventIndex event) { event_ = event; }
  void toThread(ThreadIndex thread) {
    event_ = kNoEvent;
    thread_ = thread;
  }

  void stepFromEvent() {
    const EventIndex event = event_;
    add(PieceKind::DeviceWork, timeline_.name[event], PieceNote::None, timeline_.startNs[event]);
    if (atNs_ <= startNs_) return;
    const Release& release = model_.releases[event];
    if (release.isCarriedIn || release.kind == Release::Kind::None)
      return add(PieceKind::Unknown, {}, PieceNote::BeforeRecording, startNs_);
    const bool isUnexplained = release.unexplainedNs > 0;
    const auto addDelay = [&](PieceKind kind, Symbol name) {
      add(isUnexplained ? PieceKind::Unknown : kind, isUnexplained ? Symbol() : name,
          isUnexplained ? PieceNote::Unexplained : PieceNote::None, release.momentNs);
    };
    if (release.kind == Release::Kind::Stream || release.kind == Release::Kind::Source) {
      addDelay(release.kind == Release::Kind::Stream ? PieceKind::KernelGap : PieceKind::Dependency, {});
      return toEvent(release.event);
    }
    const Call& call = calls_.calls()[calls_.launchOf(event)];
    const Symbol callName = calls_.host().name[call.event];
    if (release.kind == Release::Kind::Launch) addDelay(PieceKind::LaunchLatency, callName);
    add(PieceKind::LaunchCall, callName, PieceNote::None, call.startNs);
    toThread(call.thread);
  }

  void stepFromThread() {
    const auto waits = model_.waits.ofThread(thread_);
    const auto calls = calls_.calls();
    const auto afterWait = std::upper_bound(waits.begin(), waits.end(), atNs_,
                                            [&](int64_t ns, CallIndex call) { return ns < calls[call].endNs; });
    const auto handOvers = model_.handOvers.of(thread_);
    const auto afterHandOver = std::upper_bound(handOvers.begin(), handOvers.end(), atNs_,
                                                [](int64_t ns, const HandOver& one) { return ns < one.resumesNs; });
    const bool hasWait = afterWait != waits.begin(), hasHandOver = afterHandOver != handOvers.begin();
    if (hasWait && (!hasHandOver || calls[*std::prev(afterWait)].endNs >= std::prev(afterHandOver)->resumesNs))
      return throughWait(*std::prev(afterWait));
    if (!hasHandOver) return addHost(startNs_);
    const HandOver& handOver = *std::prev(afterHandOver);
    addHost(handOver.resumesNs);
    add(PieceKind::HandOver, {}, PieceNote::None, handOver.restsNs);
    toThread(handOver.from);
  }

  void throughWait(CallIndex index) {
    const Call& call = calls_.calls()[index];
    const CallWait& wait = model_.waits.of(index);
    addHost(call.endNs);
    const bool isQueue = wait.kind == CallWait::Kind::Queue;
    add(PieceKind::Synchronization, calls_.host().name[call.event], isQueue ? PieceNote::QueueFull : PieceNote::None,
        wait.releaseNs);
    atNs_ = std::min(atNs_, std::max(startNs_, wait.releaseNs));
    toEvent(wait.event);
  }

  /// What the thread did from `fromNs` to where the walk is.
  void addHost(int64_t fromNs) {
    fromNs = std::max(fromNs, startNs_);
    if (fromNs >= atNs_) return;
    std::vector<TimePiece> forward;
    addHostPieces(calls_, activity_, thread_, fromNs, atNs_, [&](const TimePiece& piece) { forward.push_back(piece); });
    pieces_.insert(pieces_.end(), forward.rbegin(), forward.rend());
    atNs_ = fromNs;
  }

  const RunModel& model_;
  const RunCalls& calls_;
  const Timeline& timeline_;
  const HostActivity& activity_;
  const int64_t startNs_;
  size_t stepsLeft_;
  /// Where the walk is: in an event, or else on a thread.
  int64_t atNs_ = 0;
  EventIndex event_ = kNoEvent;
  ThreadIndex thread_ = 0;
  /// From the end to the start.
  std::vector<TimePiece> pieces_;
};

}  // namespace

std::vector<TimePiece> wallPath(const RunModel& model, const HostActivity& activity, int32_t iteration) {
  const Timeline& timeline = model.calls.timeline();
  EventIndex first = kNoEvent, last = kNoEvent;
  for (const EventIndex event : model.eventsOfIterations[static_cast<size_t>(iteration)]) {
    if (first == kNoEvent) first = event;
    // Of equal ends, the one that starts later.
    if (last == kNoEvent || timeline.endNs(event) >= timeline.endNs(last)) last = event;
  }
  if (last == kNoEvent) return {};
  RunPath path(model, activity, timeline.startNs[first]);
  path.walkFromEvent(last);
  return path.pieces();
}

std::vector<TimePiece> windowPath(const RunModel& model, const HostActivity& activity, int32_t iteration) {
  const Timeline& timeline = model.calls.timeline();
  const Iteration& one = timeline.iterations[static_cast<size_t>(iteration)];
  const ThreadIndex thread = model.threadsOfIterations[static_cast<size_t>(iteration)];
  if (thread == kNoTrack) return {};
  RunPath path(model, activity, *one.startNs);
  path.walkFromThread(thread, *one.endNs);
  return path.pieces();
}

}  // namespace amdahlc::schedule
