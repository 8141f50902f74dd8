#include "runs/ranks/clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "support/disjoint_sets.h"
#include "support/statistics.h"

namespace amdahlc::ranks {
namespace {

constexpr int64_t kMostOffsetNs = int64_t{1} << 60;

int64_t endOf(const CollectiveCall& call) { return call.startNs + call.durationNs; }

/// The end of an operation by one clock, and how far another one is behind then.
struct OffsetSample {
  int64_t timeNs, offsetNs;
};

/// Operations of each third of a run, of which the medians make a line.
constexpr size_t kLeastOfThird = 3;

/// The line is that through the medians of the first and of the last third, so that some operations that are none do
/// not move it. nullopt of too few. The samples get sorted by time.
std::optional<ClockDrift> driftOf(std::vector<OffsetSample>& samples) {
  const size_t third = samples.size() / 3;
  if (third < kLeastOfThird) return std::nullopt;
  std::ranges::sort(samples, {}, [](const OffsetSample& one) { return std::pair(one.timeNs, one.offsetNs); });
  const auto medianOf = [](std::span<const OffsetSample> part, int64_t OffsetSample::* member) {
    std::vector<int64_t> values;
    for (const OffsetSample& sample : part) values.push_back(sample.*member);
    return median(values);
  };
  const std::span all(samples);
  const auto change = [&](int64_t OffsetSample::* member) {
    return static_cast<double>(medianOf(all.last(third), member) - medianOf(all.first(third), member));
  };
  const double timeNs = change(&OffsetSample::timeNs);
  if (timeNs <= 0) return std::nullopt;
  const double slope = change(&OffsetSample::offsetNs) / timeNs;
  // No clock drifts by so much: the operations are not the same.
  constexpr double kSteepest = 0.01;
  if (std::abs(slope) > kSteepest) return std::nullopt;
  const auto lineAt = [&](int64_t ns) {
    return std::llround(slope * static_cast<double>(ns - samples.front().timeNs));
  };
  std::vector<int64_t> distances;
  for (const OffsetSample& sample : samples) distances.push_back(sample.offsetNs - lineAt(sample.timeNs));
  return ClockDrift{lineAt(samples.back().timeNs), std::llround(slope * 1e9), 3 * medianDeviation(distances)};
}

/// Two ranks that finish operations together, and by how much the clock of the second is behind.
struct Link {
  uint32_t first = 0, second = 0;
  int64_t operations = 0;
  int64_t offsetNs = 0;
  std::optional<ClockDrift> drift;
};

/// From a link's first rank to its second, or back.
struct ClockStep {
  uint32_t rank = 0;
  int64_t offsetNs = 0;
  std::optional<ClockDrift> drift;
};

std::optional<ClockDrift> sumOf(const std::optional<ClockDrift>& drift, const std::optional<ClockDrift>& next) {
  if (!drift || !next) return std::nullopt;
  return ClockDrift{drift->ns + next->ns, drift->partsPerBillion + next->partsPerBillion,
                    drift->noiseNs + next->noiseNs};
}

/// Of each group of ranks, links from its lowest rank to the others.
std::vector<Link> linksOf(const Matching& matching) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<OffsetSample>> offsets;
  for (const MatchedCollective& collective : matching.collectives) {
    if (!isSynchronizing(matching.keys[collective.key].kind)) continue;
    const Participant& first = collective.participants.front();
    for (const Participant& other : std::span(collective.participants).subspan(1))
      offsets[{first.rank, other.rank}].push_back({endOf(*first.call), endOf(*first.call) - endOf(*other.call)});
  }
  std::vector<Link> links;
  for (auto& [ranks, samples] : offsets) {
    std::vector<int64_t> offsetsNs;
    for (const OffsetSample& sample : samples) offsetsNs.push_back(sample.offsetNs);
    links.push_back(
        {ranks.first, ranks.second, static_cast<int64_t>(samples.size()), median(offsetsNs), driftOf(samples)});
  }
  return links;
}

/// The offsets along a spanning tree of the links with most operations (Kruskal).
Clocks along(std::vector<Link> links, size_t ranks) {
  std::ranges::stable_sort(links, [](const Link& a, const Link& b) { return a.operations > b.operations; });
  DisjointSets sets(ranks);
  std::vector<std::vector<ClockStep>> tree(ranks);
  for (const Link& link : links) {
    if (sets.find(link.first) == sets.find(link.second)) continue;
    sets.unite(link.first, link.second);
    const auto& drift = link.drift;
    tree[link.first].push_back({link.second, link.offsetNs, drift});
    tree[link.second].push_back(
        {link.first, -link.offsetNs,
         drift ? std::optional<ClockDrift>({-drift->ns, -drift->partsPerBillion, drift->noiseNs}) : std::nullopt});
  }
  Clocks clocks;
  clocks.offsetNs.resize(ranks);
  clocks.drift.resize(ranks);
  for (uint32_t lowest = 0; lowest < ranks; ++lowest) {
    clocks.connected.push_back(sets.find(lowest));
    if (clocks.offsetNs[lowest] || tree[lowest].empty()) continue;
    clocks.offsetNs[lowest] = 0;
    clocks.drift[lowest] = ClockDrift();
    for (std::vector<uint32_t> open{lowest}; !open.empty();) {
      const uint32_t rank = open.back();
      open.pop_back();
      for (const ClockStep& next : tree[rank]) {
        if (clocks.offsetNs[next.rank]) continue;
        const int64_t sumNs = *clocks.offsetNs[rank] + next.offsetNs;
        // Only many clocks, each years from the next, come so far.
        if (sumNs > kMostOffsetNs || sumNs < -kMostOffsetNs) continue;
        clocks.offsetNs[next.rank] = sumNs;
        clocks.drift[next.rank] = sumOf(clocks.drift[rank], next.drift);
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
