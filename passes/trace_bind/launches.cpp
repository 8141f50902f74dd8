#include "passes/trace_bind/launches.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/generated_code.h"

namespace amdahlc::binding {

namespace {

/// Operators around launches, innermost first, and which of them are wrappers.
class CallChains {
 public:
  CallChains(const Timeline& timeline, const std::vector<Launch>& launches,
             const std::function<bool(std::string_view)>& isKnown)
      : timeline_(timeline),
        host_(*timeline.host),
        runtime_(runtimeAdapter(timeline.target.runtime)),
        isKnown_(isKnown),
        known_(timeline.strings) {
    for (const Launch& launch : launches) {
      if (const HostEventId call = host_.launchCall(launch.event);
          timeline.hasDevice && timeline.kind[launch.event] == EventKind::Kernel && !call.isNone())
        ++kernelsOf_[call];
      HostEventId frame;
      const std::vector<HostEventId> chain = enclosing(launch, frame);
      for (size_t i = 1; i < chain.size() && isKnown_; ++i) {
        const auto [entry, isNew] = onlyChild_.try_emplace(chain[i], chain[i - 1]);
        if (!isNew && entry->second != chain[i - 1]) entry->second = HostEventId();
      }
    }
  }

  /// Stores the chain of operators and the module frame around the launch in `launch`.
  void describe(Launch& launch) {
    launch.calls = enclosing(launch, launch.frame);
    // A graph launch starts kernels of any number of operators, recorded long before. The operators around it launched
    // none of them.
    if (const auto kernels = kernelsOf_.find(host_.launchCall(launch.event));
        kernels != kernelsOf_.end() && kernels->second > 1)
      launch.calls.clear();
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
  std::vector<HostEventId> enclosing(const Launch& launch, HostEventId& frame) const {
    std::vector<HostEventId> chain;
    HostEventId at = launch.leaf.isNone() ? host_.launchOp[launch.event] : launch.leaf;
    if (at.isNone() && isLaunched(launch.event)) at = host_.parent[host_.launch[launch.event]];
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
  bool isKnown(HostEventId op) { return !isKnown_ || known_.of(host_.name[op], isKnown_); }

  const Timeline& timeline_;
  const HostFacts& host_;
  const RuntimeAdapter& runtime_;
  const std::function<bool(std::string_view)>& isKnown_;
  // By runtime call; looked up only.
  std::unordered_map<HostEventId, uint32_t> kernelsOf_;
  // By operator; none if it has several. Looked up only.
  std::unordered_map<HostEventId, HostEventId> onlyChild_;
  SymbolMemo<bool> known_;
};

/// The launches of the events: on a device every event, else each operator that computes, with the first stretch of it
/// or of an operator inside it. Details inside may leave it no time of its own.
std::vector<Launch> launchesOf(const Timeline& timeline, const std::vector<EventIndex>& events,
                               const std::optional<CpuWork>& work) {
  std::vector<Launch> launches;
  IdVector<HostEventId, bool> seen(timeline.host->size(), false);
  for (const EventIndex event : events) {
    HostEventId leaf;
    if (const HostEventId op = timeline.host->launch[event]; work && !op.isNone()) {
      leaf = work->leafOf[op];
      if (leaf.isNone() || seen[leaf]) continue;
      seen[leaf] = true;
    }
    launches.emplace_back().event = event;
    launches.back().leaf = leaf;
  }
  return launches;
}

}  // namespace

Launches::Launches(const Timeline& timeline, const std::function<bool(std::string_view)>& isKnown, bool namesOnly)
    : timeline_(timeline), phases_(timeline) {
  std::vector<Iteration> all(timeline.iterations.size());
  std::vector<EventIndex> forward;
  for (const EventIndex event : timeline.selectedEvents()) {
    const HostEventId call = launchingCall(event);
    const HostEventId training = call.isNone() ? call : phases_.trainingCall(call);
    if (namesOnly || training.isNone())
      forward.push_back(event);
    else
      all[static_cast<size_t>(timeline.iteration[event])].outside.push_back(
          {event, host().launchOp[event], training, false, false});
  }
  std::optional<CpuWork> work;
  if (!timeline.hasDevice) work.emplace(timeline);
  std::vector<Launch> launches = launchesOf(timeline, forward, work);
  CallChains chains(timeline, launches, isKnown);
  // By name, operators, kind and facts, of which equal ones have one number.
  std::map<std::tuple<uint32_t, std::vector<uint32_t>, EventKind, uint32_t>, uint32_t> known;
  for (Launch& launch : launches) {
    const EventIndex event = launch.event;
    LaunchSignature signature;
    signature.name = launch.leaf.isNone() ? timeline.name[event] : host().name[launch.leaf];
    signature.kind = timeline.kind[event];
    if (!namesOnly) chains.describe(launch);
    for (const HostEventId call : launch.calls) signature.operators.push_back(host().name[call]);
    if (const LaunchFacts* facts = timeline.launchFactsOf(event)) signature.facts = *facts;
    std::vector<uint32_t> operators;
    for (const Symbol op : signature.operators) operators.push_back(op.index);
    const auto [entry, isNew] =
        known.try_emplace({signature.name.index, std::move(operators), signature.kind, timeline.factsIndex[event]},
                          static_cast<uint32_t>(signatures_.size()));
    launch.signature = entry->second;
    if (isNew) signatures_.push_back(std::move(signature));
    all[static_cast<size_t>(timeline.iteration[event])].launches.push_back(std::move(launch));
  }
  CallOfOperator callOf(all.size());
  for (size_t at = 0; at < all.size(); ++at) {
    Iteration& iteration = all[at];
    groupCalls(iteration);
    markSpill(iteration);
    for (size_t index = 0; index < iteration.calls.size(); ++index) {
      Call& call = iteration.calls[index];
      // A call may have no operator: a wrapper that computes itself.
      const HostEventId op = call.op.isNone() ? iteration.launches[call.first].leaf : call.op;
      if (!op.isNone()) callOf[at].emplace(op, index);
      for (uint32_t i = 0; timeline.hasDevice && i < call.count; ++i)
        call.events.push_back(iteration.launches[call.first + i].event);
    }
  }
  if (work) addStretches(forward, *work, all, callOf);
  for (Iteration& iteration : all) markGenerated(iteration);
  for (size_t at = 0; at < all.size(); ++at) {
    if (all[at].calls.empty() && all[at].outside.empty()) continue;
    for (Call& call : all[at].calls) std::ranges::sort(call.events);
    iterations_.push_back(static_cast<int32_t>(at));
    perIteration_.push_back(std::move(all[at]));
  }
}

std::optional<int64_t> Launches::launchedAt(const Launch& launch) const {
  const HostEventId call = launch.leaf.isNone() ? host().launch[launch.event] : launch.leaf;
  return call.isNone() ? std::nullopt : std::optional(host().startNs[call]);
}

std::vector<HostEventId> Launches::framesAround(const Call& call) const {
  std::vector<HostEventId> frames;
  for (HostEventId at = call.frame; !at.isNone(); at = host().parent[at])
    if (host().kind[at] == EventKind::ModuleFrame) frames.push_back(at);
  return frames;
}

void Launches::groupCalls(Iteration& iteration) const {
  std::vector<Launch>& launches = iteration.launches;
  // The host's order is the program's order; streams may run kernels in another order.
  std::ranges::stable_sort(launches, {}, [&](const Launch& launch) { return std::pair(timeOf(launch), launch.event); });
  // Threads may launch alternately: launches of one call get the place of its first one.
  std::unordered_map<HostEventId, size_t> firstOf;  // looked up only
  std::vector<std::pair<size_t, size_t>> order(launches.size());
  for (size_t i = 0; i < launches.size(); ++i)
    order[i] = {launches[i].call.isNone() ? i : firstOf.try_emplace(launches[i].call, i).first->second, i};
  std::ranges::sort(order);
  std::vector<Launch> grouped;
  grouped.reserve(launches.size());
  for (const auto& [first, index] : order) {
    Launch& launch = launches[index];
    if (grouped.empty() || launch.call.isNone() || grouped.back().call != launch.call)
      iteration.calls.push_back(
          {static_cast<uint32_t>(grouped.size()), 0, launch.call, launch.frame, {}, false, false});
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

/// Adds the stretches of self time to the calls of their iteration in which they lie.
void Launches::addStretches(const std::vector<EventIndex>& stretches, const CpuWork& work,
                            std::vector<Iteration>& iterations, const CallOfOperator& callOf) const {
  const IdVector<HostEventId, bool> isGenerated = generatedCode(timeline_, host());
  for (const EventIndex event : stretches) {
    const HostEventId op = host().launch[event];
    const bool generated = !op.isNone() && isGenerated[op];
    const auto iteration = static_cast<size_t>(timeline_.iteration[event]);
    HostEventId at = op;
    auto found = callOf[iteration].end();
    for (; !at.isNone() && found == callOf[iteration].end(); at = host().parent[at]) {
      if (host().kind[at] == EventKind::ModuleFrame) break;
      found = callOf[iteration].find(at);
    }
    if (found != callOf[iteration].end())
      iterations[iteration].calls[found->second].events.push_back(event);
    else
      iterations[iteration].outside.push_back({event, op, HostEventId(), !op.isNone() && work.computes[op], generated});
  }
}

/// Generated code is kernels on a device, each a call of its own, and else stretches outside of calls.
void Launches::markGenerated(Iteration& iteration) {
  const auto startOf = [&](const Call& call) { return timeOf(iteration.launches[call.first]); };
  const auto mark = [&](std::vector<Call>::iterator next) {
    (next == iteration.calls.end() ? iteration.endsGenerated : next->afterGenerated) = true;
    hasGeneratedCode_ = true;
  };
  for (const EventOutsideCalls& outside : iteration.outside) {
    if (!outside.generated) continue;
    mark(std::ranges::upper_bound(iteration.calls, timeline_.startNs[outside.event], {}, startOf));
  }
  for (auto call = iteration.calls.begin(); call != iteration.calls.end(); ++call)
    if (runtime().isGeneratedCode(kernelName(iteration.launches[call->first]))) mark(call + 1);
}

}  // namespace amdahlc::binding
