#include "passes/trace_bind/launches.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "runtimes/runtime.h"
#include "timeline/cpu_work.h"

namespace amdahlc::binding {

namespace {

/// Less generated code than one part in so many is no compiled model.
constexpr int64_t kGeneratedPart = 20;

using SequenceKey = std::pair<uint32_t, std::vector<uint32_t>>;
using SignatureKey = std::tuple<SequenceKey, EventKind, std::vector<int64_t>>;

std::vector<int64_t> factsKey(const LaunchFacts* facts) {
  if (!facts) return {};
  return {facts->grid[0],  facts->grid[1],   facts->grid[2],           facts->block[0], facts->block[1],
          facts->block[2], facts->registers, facts->sharedMemoryBytes, facts->bytes};
}

/// Operators around launches, innermost first, and which of them are wrappers.
class CallChains {
 public:
  CallChains(const Timeline& timeline, const std::vector<EventIndex>& events,
             const std::function<bool(std::string_view)>& isKnown)
      : timeline_(timeline),
        host_(*timeline.host),
        runtime_(runtimeAdapter(timeline.target.runtime)),
        isKnown_(isKnown) {
    for (const EventIndex event : events) {
      if (timeline.kind[event] == EventKind::Kernel && isLaunched(event)) ++kernelsOf_[host_.launch[event]];
      HostEventId frame;
      const std::vector<HostEventId> chain = enclosing(event, frame);
      for (size_t i = 1; i < chain.size() && isKnown_; ++i) {
        const auto [entry, isNew] = onlyChild_.try_emplace(chain[i], chain[i - 1]);
        if (!isNew && entry->second != chain[i - 1]) entry->second = HostEventId();
      }
    }
  }

  /// Stores the chain of operators and the module frame around the launch in `launch`.
  void describe(Launch& launch) {
    launch.calls = enclosing(launch.event, launch.frame);
    // A graph launch starts kernels of any number of operators, recorded long before. The operators around it launched
    // none of them.
    if (isLaunched(launch.event) && kernelsOf_[host_.launch[launch.event]] > 1) launch.calls.clear();
    size_t count = launch.calls.size();
    for (size_t i = count; i > 0 && !isKnown(launch.calls[i - 1]); --i)
      if (isWrapper(launch.calls[i - 1])) count = i - 1;
    if (count > 0) {
      launch.calls.resize(count);
      launch.call = launch.calls.back();
    } else if (!launch.calls.empty()) {
      launch.calls.resize(1);  // the wrapper launched it itself
    }
  }

 private:
  bool isLaunched(EventIndex event) const { return timeline_.hasDevice && !host_.launch[event].isNone(); }
  std::vector<HostEventId> enclosing(EventIndex event, HostEventId& frame) const {
    std::vector<HostEventId> chain;
    HostEventId at = host_.launchOp[event];
    if (at.isNone() && isLaunched(event)) at = host_.parent[host_.launch[event]];
    for (; !at.isNone(); at = host_.parent[at]) {
      if (host_.kind[at] == EventKind::ModuleFrame) {
        frame = at;
        break;
      }
      if (host_.kind[at] == EventKind::Operator && runtime_.isOperatorCall(timeline_.text(host_.name[at])))
        chain.push_back(at);
    }
    return chain;
  }
  bool isWrapper(HostEventId op) const {
    const auto child = onlyChild_.find(op);
    return child != onlyChild_.end() && child->second.isNone();
  }
  bool isKnown(HostEventId op) {
    if (!isKnown_) return true;
    const Symbol name = host_.name[op];
    const auto [entry, isNew] = known_.try_emplace(name.index, false);
    if (isNew) entry->second = isKnown_(timeline_.text(name));
    return entry->second;
  }

  const Timeline& timeline_;
  const HostFacts& host_;
  const RuntimeAdapter& runtime_;
  const std::function<bool(std::string_view)>& isKnown_;
  // By runtime call; looked up only.
  std::unordered_map<HostEventId, uint32_t> kernelsOf_;
  // By operator; none if it has several. Looked up only.
  std::unordered_map<HostEventId, HostEventId> onlyChild_;
  // By symbol; looked up only.
  std::unordered_map<uint32_t, bool> known_;
};

/// One event for each launch: on a device every event, else the first stretch of each operator that computes.
std::vector<EventIndex> describedEvents(const Timeline& timeline) {
  std::vector<EventIndex> events = timeline.selectedEvents();
  if (timeline.hasDevice) return events;
  const IdVector<HostEventId, bool> leaves = computingLeaves(timeline, runtimeAdapter(timeline.target.runtime));
  IdVector<HostEventId, bool> seen(timeline.host->size(), false);
  std::erase_if(events, [&](EventIndex event) {
    const HostEventId op = timeline.host->launch[event];
    if (op.isNone()) return false;
    const bool again = seen[op];
    seen[op] = true;
    return again || !leaves[op];
  });
  return events;
}

}  // namespace

Launches::Launches(const Timeline& timeline, const std::function<bool(std::string_view)>& isKnown, bool namesOnly)
    : timeline_(timeline) {
  const std::vector<EventIndex> described = describedEvents(timeline);
  CallChains chains(timeline, described, isKnown);
  std::map<SignatureKey, uint32_t> known;
  std::map<SequenceKey, uint32_t> knownSequences;
  std::vector<Iteration> all(timeline.iterations.size());
  for (const EventIndex event : described) {
    Launch launch;
    launch.event = event;
    LaunchSignature signature;
    signature.name = timeline.name[event];
    signature.kind = timeline.kind[event];
    if (!namesOnly) chains.describe(launch);
    for (const HostEventId call : launch.calls) signature.operators.push_back(host().name[call]);
    if (const LaunchFacts* facts = timeline.launchFactsOf(event)) signature.facts = *facts;

    SequenceKey sequence{signature.name.index, {}};
    for (const Symbol op : signature.operators) sequence.second.push_back(op.index);
    signature.sequenceKey =
        knownSequences.emplace(sequence, static_cast<uint32_t>(knownSequences.size())).first->second;
    const auto [entry, isNew] =
        known.emplace(SignatureKey{std::move(sequence), signature.kind, factsKey(timeline.launchFactsOf(event))},
                      static_cast<uint32_t>(signatures_.size()));
    launch.signature = entry->second;
    if (isNew) signatures_.push_back(std::move(signature));
    all[static_cast<size_t>(timeline.iteration[event])].launches.push_back(std::move(launch));
  }
  CallOfOperator callOf;
  for (size_t at = 0; at < all.size(); ++at) {
    Iteration& iteration = all[at];
    groupCalls(iteration);
    markSpill(iteration);
    for (size_t call = 0; call < iteration.calls.size(); ++call) {
      const HostEventId op = iteration.calls[call].op.isNone() && !timeline.hasDevice
                                 ? host().launch[iteration.launches[iteration.calls[call].first].event]
                                 : iteration.calls[call].op;
      if (!op.isNone()) callOf.emplace(op, std::pair(at, call));
      if (timeline.hasDevice)
        for (uint32_t i = 0; i < iteration.calls[call].count; ++i)
          iteration.calls[call].events.push_back(iteration.launches[iteration.calls[call].first + i].event);
    }
  }
  if (!timeline.hasDevice) addStretches(all, callOf);
  for (size_t at = 0; at < all.size(); ++at) {
    if (all[at].calls.empty() && all[at].outside.empty()) continue;
    for (Call& call : all[at].calls) std::sort(call.events.begin(), call.events.end());
    iterations_.push_back(static_cast<int32_t>(at));
    perIteration_.push_back(std::move(all[at]));
  }
}

/// The host's order is the program's order; streams may run kernels in another order.
int64_t Launches::launchTime(const Launch& launch) const {
  const HostEventId call = host().launch[launch.event];
  return call.isNone() ? timeline_.startNs[launch.event] : host().startNs[call];
}

void Launches::groupCalls(Iteration& iteration) const {
  std::vector<Launch>& launches = iteration.launches;
  std::stable_sort(launches.begin(), launches.end(), [&](const Launch& a, const Launch& b) {
    return std::pair{launchTime(a), a.event} < std::pair{launchTime(b), b.event};
  });
  // Threads may launch alternately: launches of one call get the place of its first one.
  std::unordered_map<HostEventId, size_t> firstOf;  // looked up only
  std::vector<std::pair<size_t, size_t>> order(launches.size());
  for (size_t i = 0; i < launches.size(); ++i)
    order[i] = {launches[i].call.isNone() ? i : firstOf.try_emplace(launches[i].call, i).first->second, i};
  std::sort(order.begin(), order.end());
  std::vector<Launch> grouped;
  grouped.reserve(launches.size());
  for (const auto& [first, index] : order) {
    Launch& launch = launches[index];
    if (grouped.empty() || launch.call.isNone() || grouped.back().call != launch.call)
      iteration.calls.push_back({static_cast<uint32_t>(grouped.size()), 0, launch.call, launch.frame, {}, false});
    ++iteration.calls.back().count;
    grouped.push_back(std::move(launch));
  }
  launches = std::move(grouped);
}

void Launches::markSpill(Iteration& iteration) const {
  if (!timeline_.hasDevice) return;
  const auto isLaunched = [&](EventIndex event) { return !host().launch[event].isNone(); };
  int64_t firstLaunchedNs = INT64_MIN;
  for (const Launch& launch : iteration.launches)
    if (isLaunched(launch.event) && (firstLaunchedNs == INT64_MIN || timeline_.startNs[launch.event] < firstLaunchedNs))
      firstLaunchedNs = timeline_.startNs[launch.event];
  for (Call& call : iteration.calls) {
    const EventIndex event = iteration.launches[call.first].event;
    call.spill = !isLaunched(event) && timeline_.startNs[event] < firstLaunchedNs;
  }
}

/// Adds the stretches of self time to the calls in which they lie.
void Launches::addStretches(std::vector<Iteration>& iterations, const CallOfOperator& callOf) {
  int64_t generatedNs = 0, totalNs = 0;
  const IdVector<HostEventId, bool> working = computes(timeline_, runtime());
  for (const EventIndex event : timeline_.selectedEvents()) {
    const HostEventId op = host().launch[event];
    HostEventId at = op;
    auto found = callOf.end();
    for (; !at.isNone() && found == callOf.end(); at = host().parent[at]) {
      if (host().kind[at] == EventKind::ModuleFrame) break;
      found = callOf.find(at);
    }
    if (found != callOf.end())
      iterations[found->second.first].calls[found->second.second].events.push_back(event);
    else
      iterations[static_cast<size_t>(timeline_.iteration[event])].outside.push_back(
          {event, op, !op.isNone() && working[op],
           !op.isNone() && !runtime().isOperatorCall(timeline_.text(host().name[op]))});
    totalNs += timeline_.durationNs[event];
    if (!op.isNone() && !runtime().isOperatorCall(timeline_.text(host().name[op])))
      generatedNs += timeline_.durationNs[event];
  }
  hasGeneratedCode_ = generatedNs * kGeneratedPart > totalNs;
}

}  // namespace amdahlc::binding
