#include "replay/timeline/group_times.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

/// Events of one iteration that counts, each from its first time to its second one.
Timeline timelineOf(const std::vector<std::pair<int64_t, int64_t>>& extents) {
  Timeline timeline;
  timeline.iterations = {{"counts", 0, 1000}};
  for (const auto& [startNs, endNs] : extents) {
    timeline.kind.push_back(EventKind::Kernel);
    timeline.startNs.push_back(startNs);
    timeline.durationNs.push_back(endNs - startNs);
    timeline.iteration.push_back(0);
  }
  return timeline;
}

std::vector<GroupTime> timesOf(const Timeline& timeline, const std::vector<std::vector<uint32_t>>& groupsOf) {
  return groupTimes(timeline, 2, [&](EventIndex event) { return std::span<const uint32_t>(groupsOf[event]); });
}

TEST_CASE("overlap inside a group counts once, and removing the group frees it") {
  const auto groups = timesOf(timelineOf({{0, 100}, {60, 160}, {150, 200}}), {{0}, {0}, {1}});
  CHECK(groups[0].perIterationNs == std::vector<int64_t>{160});
  CHECK(groups[0].exclusiveNs == 150);
  CHECK(groups[0].events == 2);
  CHECK(groups[1].perIterationNs == std::vector<int64_t>{50});
  CHECK(groups[1].exclusiveNs == 40);
}

TEST_CASE("an event may be in several groups, or in none") {
  const auto groups = timesOf(timelineOf({{0, 10}, {5, 25}}), {{0, 1}, {}});
  CHECK(groups[0].exclusiveNs == 5);
  CHECK(groups[1].exclusiveNs == 5);
}

TEST_CASE("a group that contains every active event is alone, also after the last one that began has ended") {
  const auto groups = timesOf(timelineOf({{0, 100}, {10, 20}, {30, 40}}), {{0}, {0}, {1}});
  CHECK(groups[0].exclusiveNs == 90);
  CHECK(groups[1].exclusiveNs == 0);
}

}  // namespace
}  // namespace amdahlc
