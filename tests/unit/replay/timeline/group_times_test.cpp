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

struct Found {
  std::vector<GroupTime> groups;
  /// By how much busy time shrinks without each.
  std::vector<int64_t> exclusiveNs;
};

Found timesOf(const Timeline& timeline, const std::vector<std::vector<uint32_t>>& groupsOf,
              std::vector<Rational> factors = {}) {
  factors.resize(timeline.size(), Rational::of(1));
  GroupTimes times = groupTimes(
      timeline, ReportedIterations(timeline), 2,
      [&](EventIndex event) { return std::span<const uint32_t>(groupsOf[event]); }, factors);
  Found found{std::move(times.groups), {}};
  for (const GroupTime& group : found.groups) found.exclusiveNs.push_back(times.busyNs - group.busyWithoutNs);
  return found;
}

TEST_CASE("overlap inside a group counts once, and removing the group frees it") {
  const auto [groups, exclusiveNs] = timesOf(timelineOf({{0, 100}, {60, 160}, {150, 200}}), {{0}, {0}, {1}});
  CHECK(groups[0].perIterationNs == std::vector<int64_t>{160});
  CHECK(exclusiveNs[0] == 150);
  CHECK(groups[0].events == 2);
  CHECK(groups[1].perIterationNs == std::vector<int64_t>{50});
  CHECK(exclusiveNs[1] == 40);
}

TEST_CASE("an event may be in several groups, or in none") {
  const auto [groups, exclusiveNs] = timesOf(timelineOf({{0, 10}, {5, 25}}), {{0, 1}, {}});
  CHECK(exclusiveNs[0] == 5);
  CHECK(exclusiveNs[1] == 5);
}

TEST_CASE("a group that contains every active event is alone, also after the last one that began has ended") {
  const auto [groups, exclusiveNs] = timesOf(timelineOf({{0, 100}, {10, 20}, {30, 40}}), {{0}, {0}, {1}});
  CHECK(exclusiveNs[0] == 90);
  CHECK(exclusiveNs[1] == 0);
}

TEST_CASE("where events run at once, the largest factor counts, and without it the largest of the others") {
  // From 10 to 20 both run: the first one takes 4 times as long there, without it the other one 3 times.
  const Timeline timeline = timelineOf({{0, 20}, {10, 30}});
  const auto [groups, exclusiveNs] = timesOf(timeline, {{0}, {1}}, {Rational::of(4), Rational::of(3)});
  CHECK(groups[0].busyWithoutNs == 30 + 30);
  CHECK(groups[1].busyWithoutNs == 40 + 40);
  CHECK(exclusiveNs[0] == 40 + 40 + 30 - 60);
}

TEST_CASE("a group takes the union of its events with their factors, which is never more than busy time") {
  const Timeline timeline = timelineOf({{0, 20}, {10, 30}, {40, 60}});
  const auto [groups, exclusiveNs] =
      timesOf(timeline, {{0}, {0, 1}, {1}}, {Rational::of(4), Rational::of(3), Rational{1, 2}});
  CHECK(groups[0].scaledNs == 80 + 30);
  CHECK(groups[1].scaledNs == 60 + 10);
  CHECK(groups[0].scaledNs + 10 == groups[0].busyWithoutNs + exclusiveNs[0]);
  const auto unchanged = timesOf(timeline, {{0}, {0, 1}, {1}}).groups;
  CHECK(unchanged[0].scaledNs == 30);
  CHECK(unchanged[1].scaledNs == 40);
}

TEST_CASE("the events of a key have one undisturbed factor, to the lower median of their time") {
  Timeline timeline;
  timeline.iterations = {{"warm-up", {}, {}, LeftOut::WarmUp}, {"a", {}, {}}, {"b", {}, {}}};
  const auto add = [&](int32_t iteration, int64_t startNs, int64_t durationNs) {
    timeline.kind.push_back(EventKind::Kernel);
    timeline.startNs.push_back(startNs);
    timeline.durationNs.push_back(durationNs);
    timeline.iteration.push_back(iteration);
  };
  add(0, 0, 1);
  for (const auto& [startNs, durationNs] : {std::pair<int64_t, int64_t>{10, 4}, {20, 50}, {75, 2}, {80, 0}})
    add(1, startNs, durationNs);
  for (const auto& [startNs, durationNs] : {std::pair<int64_t, int64_t>{100, 8}, {110, 10}, {180, 9}, {190, 7}})
    add(2, startNs, durationNs);
  // Events 2 and 3 take 52 together, and 10 in the other iteration. Of event 1 the shorter time is its own.
  const std::vector<uint32_t> keys{5, 5, 6, 6, 7, 5, 6, 7, 8};
  // The first one has the shorter wall time.
  CHECK(ReportedIterations(timeline).place() == 0);
  const Rational one = Rational::of(1), factor{5, 26};
  CHECK(undisturbedFactors(timeline, keys) == std::vector<Rational>{one, one, factor, factor, one, one, one, one, one});
  timeline.average = Average::Mean;
  CHECK(undisturbedFactors(timeline, keys) == std::vector<Rational>(9, one));
}

}  // namespace
}  // namespace amdahlc
