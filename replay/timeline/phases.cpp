#include "replay/timeline/phases.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "replay/runtimes/collectives.h"
#include "replay/runtimes/device_calls.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc {

namespace {

/// Inside a call of a module or an annotation of the forward pass: what is copied there is no input.
constexpr uint8_t kInModel = 1U << kPhaseCount;
/// Inside an operator or a call of a module.
constexpr uint8_t kInCall = kInModel << 1U;

bool mayStatePhase(EventKind kind) { return kind == EventKind::Operator || kind == EventKind::Annotation; }

}  // namespace

/// Gives all host events their marks.
class Phases::Marker {
 public:
  Marker(const Timeline& timeline, Phases& phases)
      : timeline_(timeline),
        host_(*timeline.host),
        runtime_(runtimeAdapter(timeline.target.runtime)),
        phases_(phases),
        byRuntime_(timeline.strings),
        byWords_(timeline.strings),
        threads_(timeline.tracks.size()) {
    phases_.marks_.assign(host_.size(), 0);
    phases_.trainingCall_.resize(host_.size());
    phases_.backwardStep_.resize(host_.size());
    phases_.begun_.assign(host_.size(), Phase::Other);
    findTraining();
    for (const HostEventId event : host_.kind.ids())
      if (!info(host_.kind[event]).onDevice) mark(event);
    markThreadsOfBackwardPass();
  }

 private:
  /// An annotation that has begun on a thread and ends last of those of its kind. Annotations are no parents.
  struct Open {
    HostEventId event;
    /// From here on it counts: after the forward and the backward pass that a call of the optimizer runs first.
    int64_t fromNs = INT64_MAX, endNs = INT64_MIN;
  };
  struct Thread {
    std::array<Open, kPhaseCount> open;
    /// When the last of them ends.
    int64_t endNs = INT64_MIN;
    /// Steps of the backward pass run on it, and nothing else that tells what it does.
    bool hasSteps = false, hasOthers = false;
  };

  Phase byRuntime(HostEventId event) {
    if (!mayStatePhase(host_.kind[event])) return Phase::Other;
    return byRuntime_.of(host_.name[event], [&](std::string_view name) { return runtime_.phase(name); });
  }
  /// By the words of an annotation.
  Phase byWords(HostEventId event) {
    if (host_.kind[event] != EventKind::Annotation) return Phase::Other;
    return byWords_.of(host_.name[event], phaseStatedBy);
  }

  /// Collects the steps of the backward pass. Words of users count as phases of training only where there is training:
  /// `backward` may be the direction of a recurrent layer.
  void findTraining() {
    bool hasBackward = false, hasOptimizer = false;
    stepsOfProcess_.resize(timeline_.tracks.size());
    for (const HostEventId event : host_.kind.ids()) {
      const Phase phase = byRuntime(event), words = byWords(event);
      hasBackward |= words == Phase::Backward;
      hasOptimizer |= words == Phase::Optimizer;
      isTraining_ |= phase == Phase::Backward || phase == Phase::Optimizer;
      if (phase == Phase::Backward) {
        auto& steps = stepsOfProcess_[processOf(event)];
        steps.emplace_back(host_.startNs[event],
                           std::max(host_.endNs(event), steps.empty() ? INT64_MIN : steps.back().second));
      }
    }
    isTraining_ |= hasBackward && hasOptimizer;
  }

  /// The first track of the process of an event's thread.
  size_t processOf(HostEventId event) {
    const auto& tracks = timeline_.tracks;
    const std::string& process = tracks[host_.track[event]].process;
    if (processOfTrack_.empty()) processOfTrack_.assign(tracks.size(), SIZE_MAX);
    size_t& first = processOfTrack_[host_.track[event]];
    if (first == SIZE_MAX)
      first = static_cast<size_t>(std::ranges::find(tracks, process, &Track::process) - tracks.begin());
    return first;
  }

  /// When the last step of the backward pass ends that begins in the call of the optimizer: its closure runs the
  /// forward and the backward pass first. The start of the call without a closure.
  int64_t endOfClosure(HostEventId optimizer) {
    const int64_t startNs = host_.startNs[optimizer];
    const auto& steps = stepsOfProcess_[processOf(optimizer)];
    const auto next = std::ranges::lower_bound(steps, std::pair(host_.endNs(optimizer), INT64_MIN));
    return next != steps.begin() && std::prev(next)->first > startNs ? std::prev(next)->second : startNs;
  }

  bool isAround(const Open& open, HostEventId event) const {
    const int64_t startNs = host_.startNs[event];
    return startNs >= open.fromNs && startNs < open.endNs &&
           host_.endNs(event) <= open.endNs + timeline_.clockResolutionNs;
  }

  void mark(HostEventId event) {
    Thread& thread = threads_[host_.track[event]];
    const EventKind kind = host_.kind[event];
    const HostEventId parent = host_.parent[event];
    Marks marks = parent.isNone() ? Marks{0} : phases_.marks_[parent];
    HostEventId training = parent.isNone() ? HostEventId() : phases_.trainingCall_[parent];
    HostEventId step = parent.isNone() ? HostEventId() : phases_.backwardStep_[parent];
    for (uint8_t i = 0; i < kPhaseCount && host_.startNs[event] < thread.endNs; ++i)
      if (isAround(thread.open[i], event)) take(static_cast<Phase>(i), thread.open[i].event, marks, training);
    Phase own = byRuntime(event);
    if (own == Phase::Other && (marks & kInCall) == 0) {
      own = byWords(event);
      if (!isTraining_ && (own == Phase::Backward || own == Phase::Optimizer)) own = Phase::Other;
    }
    int64_t fromNs = host_.startNs[event];
    if (own == Phase::Optimizer && (marks & bit(Phase::Backward)) == 0) fromNs = endOfClosure(event);
    if (fromNs == host_.startNs[event]) take(own, event, marks, training);
    if (own == Phase::Backward && byRuntime(event) == own) {
      step = event;
      thread.hasSteps = true;
    }
    if ((marks & (bit(Phase::Backward) | bit(Phase::Communication))) == 0) {
      const bool isCounted = kind == EventKind::Operator && host_.sequenceNumber[event] >= 0;
      isForwardCounted_ |= isCounted;
      thread.hasOthers |=
          isCounted || kind == EventKind::Annotation || kind == EventKind::Frame || kind == EventKind::ModuleFrame;
    }
    if (kind == EventKind::Operator || kind == EventKind::ModuleFrame) marks |= bit(Phase::Forward) | kInCall;
    if (kind == EventKind::ModuleFrame) marks |= kInModel;
    phases_.marks_[event] = marks;
    phases_.trainingCall_[event] = training;
    phases_.backwardStep_[event] = step;
    phases_.begun_[event] = own;
    // An operator is the parent of what runs in it, but not of what runs in its closure.
    if (own == Phase::Other || (kind != EventKind::Annotation && fromNs == host_.startNs[event])) return;
    Open& open = thread.open[static_cast<size_t>(own)];
    if (host_.endNs(event) > open.endNs) open = {event, fromNs, host_.endNs(event)};
    thread.endNs = std::max(thread.endNs, open.endNs);
  }

  /// Puts what has the marks into a phase that `begin` begins.
  void take(Phase phase, HostEventId begin, Marks& marks, HostEventId& training) const {
    if (phase == Phase::Other) return;
    // The optimizer comes before the backward pass, in which it may be called for each gradient.
    if ((phase == Phase::Optimizer && (marks & bit(phase)) == 0) || (phase == Phase::Backward && training.isNone()))
      training = begin;
    marks |= bit(phase);
    if (phase == Phase::Forward) marks |= kInModel;
  }

  /// On a thread of its own, the backward pass also runs between its steps.
  void markThreadsOfBackwardPass() {
    // Autograd counts the operators of the forward pass, and this trace has the numbers: a thread without is no thread
    // of the forward pass.
    if (!isForwardCounted_) return;
    for (const HostEventId event : host_.kind.ids()) {
      const Thread& thread = threads_[host_.track[event]];
      if (info(host_.kind[event]).onDevice || !thread.hasSteps || thread.hasOthers) continue;
      phases_.marks_[event] |= bit(Phase::Backward);
      HostEventId& training = phases_.trainingCall_[event];
      if (!training.isNone()) continue;
      const HostEventId parent = host_.parent[event];
      training = parent.isNone() ? event : phases_.trainingCall_[parent];
    }
  }

  const Timeline& timeline_;
  const HostFacts& host_;
  const RuntimeAdapter& runtime_;
  Phases& phases_;
  SymbolMemo<Phase> byRuntime_, byWords_;
  bool isTraining_ = false, isForwardCounted_ = false;
  std::vector<size_t> processOfTrack_;
  /// By process, of all its threads: steps of the backward pass by start, with the end of all until there.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> stepsOfProcess_;
  std::vector<Thread> threads_;
};

namespace {

/// The phase of an event of a graph, by the calls that captured it: the first in order of precedence that one of them
/// begins, else that of the forward pass, if there are any.
Phase phaseInCapture(const Timeline& timeline, EventIndex event) {
  const HostFacts& captured = *timeline.captured;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  Phase phase = Phase::Other;
  if (captured.launch[event].isNone()) return phase;
  for (HostEventId at = captured.parent[captured.launch[event]]; !at.isNone(); at = captured.parent[at]) {
    const Phase own = runtime.phase(timeline.text(captured.name[at]));
    phase = std::min({phase, own, Phase::Forward});
  }
  return phase;
}

}  // namespace

Phases::Phases(const Timeline& timeline) : ofEvent_(timeline.size(), Phase::Other) {
  if (timeline.host) {
    const Marker marked(timeline, *this);
    markInputCopies(timeline);
  }
  SymbolMemo<bool> communicates(timeline.strings);
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.kind[event] == EventKind::Kernel && communicates.of(timeline.name[event], isCommunicationKernel)) {
      ofEvent_[event] = Phase::Communication;
    } else if (timeline.host) {
      const HostFacts& host = *timeline.host;
      const HostEventId launch = host.launch[event].isNone() ? host.launchOp[event] : host.launch[event];
      if (host.collectives.contains(event))
        ofEvent_[event] = Phase::Communication;
      else if (!launch.isNone())
        ofEvent_[event] = of(launch);
      if (timeline.captured) ofEvent_[event] = std::min(ofEvent_[event], phaseInCapture(timeline, event));
    }
  }
}

Phase Phases::of(HostEventId call) const {
  return static_cast<Phase>(std::min<int>(std::countr_zero(marks_[call]), static_cast<int>(Phase::Other)));
}

/// A copy from the host to the device moves input where no module calls it: neither it nor an operator around it, which
/// copies as well, computes.
void Phases::markInputCopies(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  IdVector<HostEventId, bool> isInput(host.size(), false);
  bool any = false;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.kind[event] != EventKind::Copy || host.launch[event].isNone() ||
        copyDirection(timeline.text(timeline.name[event])) != CopyDirection::ToDevice)
      continue;
    HostEventId outermost = host.launch[event];
    if (of(outermost) < Phase::Data || (marks_[outermost] & kInModel) != 0) continue;
    for (HostEventId at = outermost; !at.isNone(); at = host.parent[at])
      if (host.kind[at] == EventKind::Operator) outermost = at;
    const bool isCopy = host.kind[outermost] != EventKind::Operator ||
                        runtime.role(timeline.text(host.name[outermost]), true) == OperatorRole::Detail;
    if (isCopy) any = isInput[outermost] = true;
  }
  if (!any) return;
  for (const HostEventId event : host.kind.ids()) {
    if (const HostEventId parent = host.parent[event]; !parent.isNone() && isInput[parent]) isInput[event] = true;
    if (isInput[event]) marks_[event] |= bit(Phase::Data);
  }
}

std::array<PhaseTime, kPhaseCount> phaseTimes(const Timeline& timeline, const Phases& phases) {
  std::array<PhaseTime, kPhaseCount> times;
  for (const EventIndex event : ReportedIterations(timeline).events(timeline)) {
    PhaseTime& time = times[static_cast<size_t>(phases.of(event))];
    ++time.events;
    time.ns += timeline.durationNs[event];
  }
  return times;
}

}  // namespace amdahlc
