#include "passes/trace_bind/launches.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "runtimes/runtime.h"

namespace amdahlc::binding {

namespace {

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
  CallChains(const Timeline& timeline, const std::function<bool(std::string_view)>& isKnown)
      : timeline_(timeline),
        host_(*timeline.host),
        runtime_(runtimeAdapter(timeline.target.runtime)),
        isKnown_(isKnown) {
    for (const EventIndex event : timeline.selectedEvents()) {
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

}  // namespace

Launches::Launches(const Timeline& timeline, const std::function<bool(std::string_view)>& isKnown)
    : timeline_(timeline) {
  CallChains chains(timeline, isKnown);
  std::map<SignatureKey, uint32_t> known;
  std::map<SequenceKey, uint32_t> knownSequences;
  std::vector<std::vector<Launch>> all(timeline.iterations.size());
  for (const EventIndex event : timeline.selectedEvents()) {
    Launch launch;
    launch.event = event;
    LaunchSignature signature;
    signature.name = timeline.name[event];
    signature.kind = timeline.kind[event];
    chains.describe(launch);
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
    all[static_cast<size_t>(timeline.iteration[event])].push_back(std::move(launch));
  }
  for (size_t iteration = 0; iteration < all.size(); ++iteration) {
    if (all[iteration].empty()) continue;
    // The host's order is the program's order; streams may run kernels in another order.
    const auto launchTime = [&](const Launch& launch) {
      const HostEventId call = host().launch[launch.event];
      return call.isNone() ? timeline.startNs[launch.event] : host().startNs[call];
    };
    std::stable_sort(all[iteration].begin(), all[iteration].end(), [&](const Launch& a, const Launch& b) {
      return std::pair{launchTime(a), a.event} < std::pair{launchTime(b), b.event};
    });
    iterations_.push_back(static_cast<int32_t>(iteration));
    perIteration_.push_back(std::move(all[iteration]));
  }
}

bool Launches::sameSequence(size_t a, size_t b) const {
  const auto& first = perIteration_[a];
  const auto& second = perIteration_[b];
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), [&](const Launch& x, const Launch& y) {
    return signature(x).sequenceKey == signature(y).sequenceKey;
  });
}

size_t Launches::representative() const {
  size_t best = 0, bestCount = 0;
  std::vector<bool> counted(perIteration_.size(), false);
  for (size_t i = 0; i < perIteration_.size(); ++i) {
    if (counted[i]) continue;
    size_t count = 0;
    for (size_t j = i; j < perIteration_.size(); ++j) {
      if (counted[j] || !sameSequence(i, j)) continue;
      counted[j] = true;
      ++count;
    }
    if (count > bestCount) {
      best = i;
      bestCount = count;
    }
  }
  return best;
}

}  // namespace amdahlc::binding
