#include "replay/timeline/interval.h"

#include <doctest/doctest.h>

#include <set>

#include <string>

using namespace amdahlc;

TEST_CASE("the length of a union counts overlap once and ignores empty or negative intervals") {
  CHECK(unionLength({}) == 0);
  CHECK(unionLength({{0, 10}, {5, 15}, {20, 30}}) == 25);
  CHECK(unionLength({{20, 30}, {0, 100}, {5, 6}}) == 100);
  CHECK(unionLength({{0, 10}, {10, 20}}) == 20);
  CHECK(unionLength({{5, 5}, {9, 3}}) == 0);
  CHECK(unionLength({{-20, -10}, {-15, 5}}) == 25);
}

TEST_CASE("a union ignores empty intervals; what is added to one keeps those that touch no other") {
  CHECK(unionOf({{20, 30}, {5, 5}, {0, 4}, {4, 6}, {9, 3}}) == std::vector<TimeInterval>{{0, 6}, {20, 30}});
  std::vector<TimeInterval> united;
  for (const TimeInterval interval : {TimeInterval{0, 4}, {4, 4}, {5, 5}, {5, 5}, {7, 9}, {8, 8}, {9, 12}})
    addToUnion(united, interval);
  CHECK(united == std::vector<TimeInterval>{{0, 4}, {5, 5}, {7, 12}});
}

TEST_CASE("segments cut the union by the set of active intervals") {
  std::string seen;
  const std::vector<TimeInterval> intervals{{0, 10}, {5, 15}, {20, 20}, {15, 20}, {30, 40}, {32, 35}, {32, 35}};
  int64_t total = 0;
  std::set<uint32_t> active;
  SweepVisitor visitor;
  visitor.begins = [&](uint32_t index, int64_t timeNs) {
    CHECK(timeNs == intervals[index].startNs);
    CHECK(active.insert(index).second);
  };
  visitor.ends = [&](uint32_t index, int64_t timeNs) {
    CHECK(timeNs == intervals[index].endNs);
    CHECK(active.erase(index) == 1);
  };
  visitor.segment = [&](int64_t lengthNs) {
    total += lengthNs;
    seen += std::to_string(lengthNs) + ":";
    for (uint32_t index : active) seen += std::to_string(index);
    seen += " ";
  };
  sweep(intervals, visitor);
  CHECK(active.empty());
  CHECK(seen == "5:0 5:01 5:1 5:3 2:4 3:456 5:4 ");
  CHECK(total == unionLength(intervals));
}
