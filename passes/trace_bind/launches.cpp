#include "passes/trace_bind/launches.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace amdahlc::binding {

namespace {

using SequenceKey = std::pair<uint32_t, std::vector<uint32_t>>;
using SignatureKey = std::tuple<SequenceKey, EventKind, std::vector<int64_t>>;

std::vector<int64_t> factsKey(const LaunchFacts* facts) {
  if (!facts) return {};
  return {facts->grid[0],  facts->grid[1],   facts->grid[2],           facts->block[0], facts->block[1],
          facts->block[2], facts->registers, facts->sharedMemoryBytes, facts->bytes};
}

}  // namespace

std::string_view bareOperatorName(std::string_view name) {
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos) name.remove_prefix(colons + 2);
  while (name.size() > 1 && name.back() == '_') name.remove_suffix(1);
  return name;
}

Launches::Launches(const Timeline& timeline) : timeline_(timeline) {
  std::map<SignatureKey, uint32_t> known;
  std::map<SequenceKey, uint32_t> knownSequences;
  std::vector<std::vector<Launch>> all(timeline.iterations.size());
  for (const EventIndex event : timeline.selectedEvents()) {
    Launch launch;
    launch.event = event;
    LaunchSignature signature;
    signature.name = timeline.name[event];
    signature.kind = timeline.kind[event];
    EventIndex at = timeline.launchOp[event];
    if (at == kNoEvent && timeline.launch[event] != kNoEvent && timeline.launch[event] != event)
      at = timeline.parent[timeline.launch[event]];
    for (; at != kNoEvent; at = timeline.parent[at]) {
      if (timeline.kind[at] == EventKind::ModuleFrame) {
        launch.frame = at;
        break;
      }
      if (timeline.kind[at] != EventKind::Operator ||
          timeline.text(timeline.name[at]).find("::") == std::string_view::npos)
        continue;
      signature.operators.push_back(timeline.name[at]);
      launch.calls.push_back(at);
      launch.call = at;
    }
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
    // The host's order is the program's order; streams may run kernels in another.
    const auto launchTime = [&](const Launch& launch) {
      const EventIndex call = timeline.launch[launch.event];
      return call == kNoEvent ? timeline.startNs[launch.event] : timeline.startNs[call];
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
