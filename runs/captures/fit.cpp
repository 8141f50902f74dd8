#include "runs/captures/fit.h"

#include <algorithm>
#include <tuple>

#include "support/common_subsequence.h"

namespace amdahlc::captures {

namespace {

/// Each stream of the one is compared with each of the other.
constexpr size_t kMaxStreams = 64;

using Pairs = std::vector<std::pair<size_t, size_t>>;

/// The places of a sequence by stream.
std::vector<std::vector<size_t>> placesByLane(const WorkSequence& work) {
  std::map<uint32_t, std::vector<size_t>> byLane;
  for (size_t place = 0; place < work.lanes.size(); ++place) byLane[work.lanes[place]].push_back(place);
  std::vector<std::vector<size_t>> lanes;
  for (auto& [lane, places] : byLane) lanes.push_back(std::move(places));
  return lanes;
}

std::vector<uint32_t> keysAt(const WorkSequence& work, const std::vector<size_t>& places) {
  std::vector<uint32_t> keys;
  keys.reserve(places.size());
  for (const size_t place : places) keys.push_back(work.keys[place]);
  return keys;
}

/// Streams have other numbers when a graph is launched: those with most in common are taken for one.
Pairs pairsByStream(const WorkSequence& ran, const WorkSequence& captured) {
  const auto left = placesByLane(ran), right = placesByLane(captured);
  if (left.size() < 2 || right.size() < 2 || std::max(left.size(), right.size()) > kMaxStreams) return {};
  struct Likeness {
    Pairs pairs;
    size_t left, right;
  };
  std::vector<Likeness> all;
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = 0; j < right.size(); ++j)
      all.push_back({commonSubsequence(keysAt(ran, left[i]), keysAt(captured, right[j])), i, j});
  std::ranges::stable_sort(all, std::ranges::greater(), [](const Likeness& one) { return one.pairs.size(); });
  std::vector<bool> hasLeft(left.size(), false), hasRight(right.size(), false);
  Pairs pairs;
  for (const Likeness& one : all) {
    if (hasLeft[one.left] || hasRight[one.right]) continue;
    hasLeft[one.left] = hasRight[one.right] = true;
    for (const auto& [event, launch] : one.pairs) pairs.emplace_back(left[one.left][event], right[one.right][launch]);
  }
  std::ranges::sort(pairs);
  return pairs;
}

bool haveEqualGrids(const LaunchFacts* event, const LaunchFacts& launch) {
  if (event == nullptr) return true;
  for (size_t i = 0; i < 3; ++i)
    if (event->grid[i] >= 0 && launch.grid[i] >= 0 && event->grid[i] != launch.grid[i]) return false;
  return true;
}

}  // namespace

Fit fit(const Timeline& run, std::span<const EventIndex> events, const WorkSequence& ran,
        std::span<const CapturedLaunch> launches, const WorkSequence& captured) {
  Pairs pairs = commonSubsequence(ran.keys, captured.keys);
  if (pairs.size() < std::min(events.size(), launches.size()))
    if (Pairs byStream = pairsByStream(ran, captured); byStream.size() > pairs.size()) pairs = std::move(byStream);
  Fit found;
  for (const auto& [event, launch] : pairs) {
    if (haveEqualGrids(run.launchFactsOf(events[event]), launches[launch].facts))
      found.pairs.emplace_back(event, launch);
    else
      ++found.otherGrids;
  }
  return found;
}

}  // namespace amdahlc::captures
