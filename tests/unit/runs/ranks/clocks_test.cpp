#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "runs/ranks/clocks.h"

using namespace amdahlc;
using namespace amdahlc::ranks;

namespace {

constexpr int64_t us = 1'000, second = 1'000'000'000;

/// Operations that two ranks end together, one each second, by clocks of which the second goes by `partsPerMillion` too
/// slowly and ends each operation off by the next of `noiseNs`, over and over.
struct TwoRanks {
  TwoRanks(int64_t operations, int64_t partsPerMillion, const std::vector<int64_t>& noiseNs) {
    for (int64_t i = 0; i < operations; ++i) {
      const int64_t startNs = i * second;
      calls[0].push_back({0, 0, -1, startNs, 100 * us});
      calls[1].push_back(
          {0, 0, -1, startNs - startNs / 1'000'000 * partsPerMillion + noiseNs[i % noiseNs.size()], 100 * us});
    }
    matching.keys.push_back({CollectiveKind::AllReduce, "allreduce", "0", "[0, 1]", 2});
    for (size_t i = 0; i < calls[0].size(); ++i)
      matching.collectives.push_back({0, 0, {{0, &calls[0][i]}, {1, &calls[1][i]}}});
  }
  Clocks clocks() const { return clocksOf(std::vector<RankRecord>(2), matching); }

  std::vector<CollectiveCall> calls[2];
  Matching matching;
};

}  // namespace

TEST_CASE("a clock that goes too slowly drifts by the slope of the ends of operations") {
  const Clocks clocks = TwoRanks(31, 5, {0, 2 * us, -2 * us, us}).clocks();
  CHECK(clocks.use == ClockUse::Aligned);
  REQUIRE(clocks.drift[1].has_value());
  // 30 s by 5 us each; the noise of the medians is below 2 us.
  CHECK(std::abs(clocks.drift[1]->ns - 150 * us) <= 3 * us);
  CHECK(std::abs(clocks.drift[1]->partsPerMillion() - 5) <= 0.1);
  CHECK(clocks.drift[1]->matters());
  CHECK(clocks.drift[0] == ClockDrift());
}

TEST_CASE("noise, a jump of few operations and a difference that stays are no drift") {
  SUBCASE("noise of real runs") {
    const Clocks clocks = TwoRanks(31, 0, {0, 3 * us, -3 * us, us, -4 * us}).clocks();
    CHECK_FALSE(clocks.drift[1]->matters());
  }
  SUBCASE("large noise") {
    const Clocks clocks = TwoRanks(11, 0, {0, 90 * us, -70 * us, 30 * us, -40 * us, 110 * us, -20 * us}).clocks();
    CHECK_FALSE(clocks.drift[1]->matters());
  }
  SUBCASE("a difference that stays") {
    const Clocks clocks = TwoRanks(31, 0, {500 * us}).clocks();
    CHECK(clocks.use == ClockUse::Aligned);
    CHECK(clocks.drift[1]->ns == 0);
  }
  SUBCASE("two operations that are none") {
    TwoRanks ranks(31, 0, {0});
    ranks.calls[1][29].startNs += second;
    ranks.calls[1][30].startNs += second;
    CHECK(ranks.clocks().drift[1]->ns == 0);
  }
}

TEST_CASE("of few operations no drift is known, and no clock drifts by more than a hundredth") {
  CHECK_FALSE(TwoRanks(31, 11'000, {0}).clocks().drift[1].has_value());
  CHECK(TwoRanks(31, 9'000, {0}).clocks().drift[1].has_value());
  CHECK_FALSE(TwoRanks(8, 50, {0}).clocks().drift[1].has_value());
  CHECK(TwoRanks(9, 50, {0}).clocks().drift[1].has_value());
}
