#include "runs/ranks/clocks.h"

#include <algorithm>
#include <map>

#include "support/disjoint_sets.h"
#include "support/statistics.h"

namespace amdahlc::ranks {
namespace {

constexpr int64_t kMostOffsetNs = int64_t{1} << 60;

int64_t endOf(const CollectiveCall& call) { return call.startNs + call.durationNs; }

/// Two ranks that finish operations together, and by how much the clock of the second is behind.
struct Link {
  uint32_t first = 0, second = 0;
  int64_t operations = 0;
  int64_t offsetNs = 0;
};

/// Of each group of ranks, links from its lowest rank to the others.
std::vector<Link> linksOf(const Matching& matching) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<int64_t>> offsets;
  for (const MatchedCollective& collective : matching.collectives) {
    if (!isSynchronizing(matching.keys[collective.key].kind)) continue;
    const Participant& first = collective.participants.front();
    for (const Participant& other : std::span(collective.participants).subspan(1))
      offsets[{first.rank, other.rank}].push_back(endOf(*first.call) - endOf(*other.call));
  }
  std::vector<Link> links;
  for (const auto& [ranks, samples] : offsets)
    links.push_back({ranks.first, ranks.second, static_cast<int64_t>(samples.size()), median(samples)});
  return links;
}

/// The offsets along a spanning tree of the links with most operations (Kruskal).
Clocks along(std::vector<Link> links, size_t ranks) {
  std::ranges::stable_sort(links, [](const Link& a, const Link& b) { return a.operations > b.operations; });
  DisjointSets sets(ranks);
  struct Neighbour {
    uint32_t rank;
    int64_t offsetNs;
  };
  std::vector<std::vector<Neighbour>> tree(ranks);
  for (const Link& link : links) {
    if (sets.find(link.first) == sets.find(link.second)) continue;
    sets.unite(link.first, link.second);
    tree[link.first].push_back({link.second, link.offsetNs});
    tree[link.second].push_back({link.first, -link.offsetNs});
  }
  Clocks clocks;
  clocks.offsetNs.resize(ranks);
  for (uint32_t lowest = 0; lowest < ranks; ++lowest) {
    clocks.connected.push_back(sets.find(lowest));
    if (clocks.offsetNs[lowest] || tree[lowest].empty()) continue;
    clocks.offsetNs[lowest] = 0;
    for (std::vector<uint32_t> open{lowest}; !open.empty();) {
      const uint32_t rank = open.back();
      open.pop_back();
      for (const Neighbour& next : tree[rank]) {
        if (clocks.offsetNs[next.rank]) continue;
        const int64_t sumNs = *clocks.offsetNs[rank] + next.offsetNs;
        // Only many clocks, each years from the next, come so far.
        if (sumNs > kMostOffsetNs || sumNs < -kMostOffsetNs) continue;
        clocks.offsetNs[next.rank] = sumNs;
        open.push_back(next.rank);
      }
    }
  }
  return clocks;
}

}  // namespace

Clocks clocksOf(std::span<const RankRecord> ranks, const Matching& matching) {
  const std::vector<Link> links = linksOf(matching);
  Clocks clocks = along(links, ranks.size());
  if (links.empty()) return clocks;
  const bool agree = std::ranges::all_of(clocks.offsetNs, [](const auto& offset) {
    return !offset || (*offset <= kSameClockNs && *offset >= -kSameClockNs);
  });
  clocks.use = agree ? ClockUse::AsRecorded : ClockUse::Aligned;
  for (auto& offset : clocks.offsetNs)
    if (agree && offset) offset = 0;
  return clocks;
}

}  // namespace amdahlc::ranks
