#include "replay/schedule/time_pieces.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>

#include "replay/timeline/breakdown.h"

namespace amdahlc::schedule {

std::string_view name(PieceKind kind) {
  // In the order of the enumeration.
  static constexpr std::string_view kTexts[] = {
      "device-work",    "host",       "synchronization", "input",     "launch-call",
      "launch-latency", "kernel-gap", "dependency",      "hand-over", "unknown",
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(PieceKind::Unknown) + 1);
  return kTexts[static_cast<size_t>(kind)];
}

std::string_view describe(PieceNote note) {
  // In the order of the enumeration.
  static constexpr std::string_view kTexts[] = {
      "", "nothing recorded", "launched before the recording", "unexplained wait", "queue of launches full",
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(PieceNote::QueueFull) + 1);
  return kTexts[static_cast<size_t>(note)];
}

void PieceSums::add(const TimePiece& piece) {
  if (piece.ns <= 0) return;
  const auto [found, isNew] = indexOf_.try_emplace({piece.kind, piece.name.index, piece.note}, pieces_.size());
  if (isNew) pieces_.push_back({piece.kind, piece.name, piece.note});
  pieces_[found->second].ns += piece.ns;
}

TimePiece delayOf(const RunModel& model, EventIndex event) {
  const Release& release = model.releases[event];
  if (release.isCarriedIn) return {PieceKind::Unknown, {}, PieceNote::BeforeRecording};
  if (release.unexplainedNs > 0) return {PieceKind::Unknown, {}, PieceNote::Unexplained};
  if (release.kind == Release::Kind::Stream) return {PieceKind::KernelGap, {}};
  if (release.kind == Release::Kind::Source) return {PieceKind::Dependency, {}};
  return {PieceKind::LaunchLatency, model.calls.symbol(model.calls.calls()[model.calls.launchOf(event)])};
}

namespace {

/// The stretches of one thread, from its rows in order of start, the longer ones first.
class Flattener {
 public:
  explicit Flattener(std::vector<HostActivity::Stretch>& out) : out_(out) {}

  /// A row in one of data loading counts as that.
  void add(HostActivity::Stretch row) {
    closeUntil(row.interval.startNs);
    // A row that ends after the one around it counts up to that end.
    if (!open_.empty()) row.interval.endNs = std::min(row.interval.endNs, open_.back().interval.endNs);
    if (row.interval.endNs <= row.interval.startNs) return;
    emit(row.interval.startNs);
    if (row.kind != PieceKind::Input && !open_.empty() && open_.back().kind == PieceKind::Input) {
      row.kind = PieceKind::Input;
      row.name = open_.back().name;
    }
    open_.push_back(row);
    atNs_ = row.interval.startNs;
  }
  void finish() { closeUntil(std::numeric_limits<int64_t>::max()); }

 private:
  void closeUntil(int64_t ns) {
    while (!open_.empty() && open_.back().interval.endNs <= ns) {
      emit(open_.back().interval.endNs);
      atNs_ = open_.back().interval.endNs;
      open_.pop_back();
    }
  }

  /// The innermost row from `atNs_` to `untilNs`.
  void emit(int64_t untilNs) {
    if (!open_.empty() && untilNs > atNs_)
      out_.push_back({{atNs_, untilNs}, open_.back().kind, open_.back().name, open_.back().row});
  }

  std::vector<HostActivity::Stretch>& out_;
  std::vector<HostActivity::Stretch> open_;
  int64_t atNs_ = 0;
};

}  // namespace

HostActivity::HostActivity(const RunCalls& calls) : ofThread_(calls.threads()) {
  const HostFacts& host = calls.host();
  DataLoadingSpans loading(calls.timeline());
  std::vector<Flattener> flatteners;
  flatteners.reserve(ofThread_.size());
  // When the run of queries ends that the thread waits in.
  std::vector<int64_t> untilNs(ofThread_.size(), std::numeric_limits<int64_t>::min());
  // What is reserved and not used takes no memory, while a vector that grows takes new memory for each copy.
  std::vector<size_t> rows(ofThread_.size(), 0);
  for (const HostEventId event : host.kind.ids())
    if (const ThreadIndex thread = calls.threadOf(event); thread != kNoTrack) ++rows[thread];
  for (ThreadIndex thread = 0; thread < ofThread_.size(); ++thread) ofThread_[thread].reserve(2 * rows[thread]);
  for (auto& stretches : ofThread_) flatteners.emplace_back(stretches);
  for (const HostEventId event : host.kind.ids()) {
    const ThreadIndex thread = calls.threadOf(event);
    if (thread == kNoTrack) continue;
    const EventKind kind = host.kind[event];
    const bool isLoading = loading.isSpan(event);
    if (!isLoading && kind != EventKind::Operator && kind != EventKind::Runtime && kind != EventKind::Frame &&
        kind != EventKind::ModuleFrame)
      continue;
    const CallIndex index = calls.callOf(event);
    const bool waits = index != kNoCall && calls.calls()[index].waits();
    TimeInterval interval = host.interval(event);
    if (waits && calls.calls()[index].meaning == DeviceCall::Query) {
      // What the thread does between its queries counts as a part of their run.
      interval.endNs = calls.calls()[index].endNs;
      untilNs[thread] = interval.endNs;
    } else if (interval.endNs <= untilNs[thread]) {
      continue;
    }
    flatteners[thread].add({interval,
                            isLoading ? PieceKind::Input
                            : waits   ? PieceKind::Synchronization
                                      : PieceKind::Host,
                            host.name[event], event});
  }
  for (Flattener& flattener : flatteners) flattener.finish();
}

std::vector<PlacedPiece> HostActivity::pieces(ThreadIndex thread, int64_t fromNs, int64_t toNs) const {
  std::vector<PlacedPiece> pieces;
  const auto addUntil = [&](int64_t ns) {
    if (ns > fromNs) pieces.push_back({{PieceKind::Host, {}, PieceNote::NothingRecorded, ns - fromNs}, fromNs});
  };
  if (fromNs >= toNs) return pieces;
  const std::vector<Stretch>& stretches = ofThread_[thread];
  auto stretch = std::upper_bound(stretches.begin(), stretches.end(), fromNs,
                                  [](int64_t ns, const Stretch& one) { return ns < one.interval.endNs; });
  for (; stretch != stretches.end() && stretch->interval.startNs < toNs; ++stretch) {
    const int64_t startNs = std::max(stretch->interval.startNs, fromNs),
                  endNs = std::min(stretch->interval.endNs, toNs);
    addUntil(startNs);
    pieces.push_back(
        {{stretch->kind, stretch->name, PieceNote::None, endNs - startNs}, startNs, kNoEvent, stretch->row});
    fromNs = endNs;
  }
  addUntil(toNs);
  return pieces;
}

namespace {

class IdleTime {
 public:
  IdleTime(const RunModel& model, const HostActivity& activity)
      : model_(model), calls_(model.calls), timeline_(model.calls.timeline()), activity_(activity) {}

  /// The gap before `event`, which starts at its end.
  void addGap(int64_t fromNs, EventIndex event) {
    const int64_t toNs = timeline_.startNs[event];
    if (!calls_.isFirstOfLaunch(event)) return add(withoutLaunch(toNs - fromNs, event), fromNs, toNs);
    const Call& call = calls_.calls()[calls_.launchOf(event)];
    const int64_t callNs = std::clamp(call.startNs, fromNs, toNs), calledNs = std::clamp(call.endNs, callNs, toNs);
    for (const PlacedPiece& piece : activity_.pieces(call.thread, fromNs, callNs)) pieces_.push_back(piece);
    add({PieceKind::LaunchCall, calls_.symbol(call)}, callNs, calledNs, call.event);
    // From the end of the launch to the start of the event.
    add(delayOf(model_, event), calledNs, toNs);
  }

  std::vector<PlacedPiece> pieces() && { return std::move(pieces_); }

 private:
  void add(TimePiece piece, int64_t fromNs, int64_t toNs, HostEventId row = {}) {
    piece.ns = toNs - fromNs;
    if (piece.ns > 0) pieces_.push_back({piece, fromNs, kNoEvent, row});
  }
  TimePiece withoutLaunch(int64_t ns, EventIndex event) const {
    const bool isShort = ns <= model_.constants.longestDelayNs();
    const PieceNote note = isShort                         ? PieceNote::None
                           : calls_.isLaterOfLaunch(event) ? PieceNote::Unexplained
                                                           : PieceNote::BeforeRecording;
    return {isShort ? PieceKind::KernelGap : PieceKind::Unknown, {}, note};
  }

  const RunModel& model_;
  const RunCalls& calls_;
  const Timeline& timeline_;
  const HostActivity& activity_;
  std::vector<PlacedPiece> pieces_;
};

}  // namespace

std::vector<PlacedPiece> idlePieces(const RunModel& model, const HostActivity& activity, int32_t iteration) {
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
  return std::move(idle).pieces();
}

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
  /// A wait that is over by `doneNs` counts as over by then.
  void walkFromThread(ThreadIndex thread, int64_t atNs, int64_t doneNs) {
    atNs_ = atNs;
    thread_ = thread;
    stepFromThread(doneNs);
    walk();
  }

  /// In order of time.
  std::vector<PlacedPiece> pieces() && {
    std::ranges::reverse(pieces_);
    return std::move(pieces_);
  }
  /// Of the part of the path in `interval`, summed in order of time.
  std::vector<TimePiece> piecesIn(const TimeInterval& interval) const {
    PieceSums sums;
    for (PlacedPiece piece : std::views::reverse(pieces_)) {
      const int64_t fromNs = std::max(piece.startNs, interval.startNs);
      piece.ns = std::min(piece.startNs + piece.ns, interval.endNs) - fromNs;
      sums.add(piece);
    }
    return sums.pieces();
  }

 private:
  void walk() {
    while (atNs_ > startNs_ && stepsLeft_-- > 0) event_ != kNoEvent ? stepFromEvent() : stepFromThread(atNs_);
    add({PieceKind::Unknown, {}, PieceNote::Unexplained}, startNs_);
  }

  /// The piece from `fromNs` to where the walk is, which moves there.
  void add(TimePiece piece, int64_t fromNs, EventIndex event = kNoEvent, HostEventId row = {}) {
    fromNs = std::max(fromNs, startNs_);
    if (fromNs >= atNs_) return;
    piece.ns = atNs_ - fromNs;
    pieces_.push_back({piece, fromNs, event, row});
    atNs_ = fromNs;
  }

  void toEvent(EventIndex event) { event_ = event; }
  void toThread(ThreadIndex thread) {
    event_ = kNoEvent;
    thread_ = thread;
  }

  void stepFromEvent() {
    const EventIndex event = event_;
    add({PieceKind::DeviceWork, timeline_.name[event]}, timeline_.startNs[event], event);
    if (atNs_ <= startNs_) return;
    const Release& release = model_.releases[event];
    if (release.isCarriedIn) return add(delayOf(model_, event), startNs_);
    if (release.kind != Release::Kind::InsideLaunch) add(delayOf(model_, event), release.momentNs);
    if (release.kind == Release::Kind::Stream || release.kind == Release::Kind::Source) return toEvent(release.event);
    const Call& call = calls_.calls()[calls_.launchOf(event)];
    add({PieceKind::LaunchCall, calls_.symbol(call)}, call.startNs, kNoEvent, call.event);
    toThread(call.thread);
  }

  void stepFromThread(int64_t byNs) {
    const auto waits = model_.waits.ofThread(thread_);
    const auto calls = calls_.calls();
    const auto afterWait = std::upper_bound(waits.begin(), waits.end(), byNs,
                                            [&](int64_t ns, CallIndex call) { return ns < calls[call].endNs; });
    const auto handOvers = model_.handOvers.of(thread_);
    const auto afterHandOver = std::ranges::upper_bound(handOvers, byNs, {}, &HandOver::resumesNs);
    const bool hasWait = afterWait != waits.begin(), hasHandOver = afterHandOver != handOvers.begin();
    if (hasWait && (!hasHandOver || calls[*std::prev(afterWait)].endNs >= std::prev(afterHandOver)->resumesNs))
      return throughWait(*std::prev(afterWait));
    if (!hasHandOver) return addHost(startNs_);
    const HandOver& handOver = *std::prev(afterHandOver);
    addHost(handOver.resumesNs);
    add({PieceKind::HandOver, {}}, handOver.restsNs);
    toThread(handOver.from);
  }

  void throughWait(CallIndex index) {
    const Call& call = calls_.calls()[index];
    const CallWait& wait = model_.waits.of(index);
    addHost(call.endNs);
    const bool isQueue = wait.kind == CallWait::Kind::Queue;
    add({PieceKind::Synchronization, calls_.symbol(call), isQueue ? PieceNote::QueueFull : PieceNote::None},
        wait.releaseNs, kNoEvent, call.event);
    atNs_ = std::min(atNs_, std::max(startNs_, wait.releaseNs));
    toEvent(wait.event);
  }

  /// What the thread did from `fromNs` to where the walk is.
  void addHost(int64_t fromNs) {
    fromNs = std::max(fromNs, startNs_);
    if (fromNs >= atNs_) return;
    const std::vector<PlacedPiece> forward = activity_.pieces(thread_, fromNs, atNs_);
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
  std::vector<PlacedPiece> pieces_;
};

/// `kNoEvent` in an iteration without events.
struct FirstAndLast {
  EventIndex first = kNoEvent, last = kNoEvent;
};
FirstAndLast firstAndLastEvent(const RunModel& model, int32_t iteration) {
  const Timeline& timeline = model.calls.timeline();
  FirstAndLast found;
  for (const EventIndex event : model.eventsOfIterations[static_cast<size_t>(iteration)]) {
    if (found.first == kNoEvent) found.first = event;
    // Of equal ends, the one that starts later.
    if (found.last == kNoEvent || timeline.endNs(event) >= timeline.endNs(found.last)) found.last = event;
  }
  return found;
}

}  // namespace

std::vector<PlacedPiece> wallPath(const RunModel& model, const HostActivity& activity, int32_t iteration) {
  const FirstAndLast events = firstAndLastEvent(model, iteration);
  if (events.last == kNoEvent) return {};
  RunPath path(model, activity, model.calls.timeline().startNs[events.first]);
  path.walkFromEvent(events.last);
  return std::move(path).pieces();
}

WindowPath windowPath(const RunModel& model, const HostActivity& activity, int32_t iteration) {
  const Timeline& timeline = model.calls.timeline();
  const Iteration& one = timeline.iterations[static_cast<size_t>(iteration)];
  const ThreadIndex thread = model.threadsOfIterations[static_cast<size_t>(iteration)];
  if (thread == kNoTrack) return {};
  RunPath path(model, activity, *one.startNs);
  path.walkFromThread(thread, *one.endNs, model.endsOfIterations[static_cast<size_t>(iteration)]);
  WindowPath parts{path.piecesIn({*one.startNs, *one.endNs}), {}, {}};
  if (const FirstAndLast events = firstAndLastEvent(model, iteration); events.last != kNoEvent) {
    parts.before = path.piecesIn({*one.startNs, timeline.startNs[events.first]});
    parts.after = path.piecesIn({timeline.endNs(events.last), *one.endNs});
  }
  return parts;
}

}  // namespace amdahlc::schedule
