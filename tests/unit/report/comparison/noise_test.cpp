#include "report/comparison/noise.h"

#include <doctest/doctest.h>

using namespace amdahlc;
using namespace amdahlc::comparison;

namespace {

Judgement judged(Samples before, Samples after) {
  const MeasuredTime a(std::move(before)), b(std::move(after));
  return judge(std::vector<TwoTimes>{{a, b}}).front();
}

Change changeOf(Samples before, Samples after) { return judged(std::move(before), std::move(after)).change; }

const std::vector<int64_t> kAbout100{100, 104, 98, 102, 96, 103, 99, 101};

/// Times of about 100 in this unit.
std::vector<int64_t> about(int64_t unit) {
  std::vector<int64_t> times = kAbout100;
  for (int64_t& time : times) time *= unit;
  return times;
}

}  // namespace

TEST_CASE("a time is the lower median over all iterations") {
  CHECK(MeasuredTime(Samples{{4, 1, 3, 2}}).ns == 2);
  CHECK(MeasuredTime(Samples{{1, 9}, {9, 8, 2}}).ns == 8);
  CHECK(MeasuredTime(Samples{}).ns == 0);
}

// Intervals as SciPy computes them, from the formulas of docs/comparing-runs.md.
TEST_CASE("the interval is that of Welch's test of log times") {
  const auto one = judged({kAbout100}, {{112, 108, 115, 110, 107, 113, 109, 111}});
  REQUIRE(one.ratio);
  CHECK(one.change == Change::Slower);
  CHECK(one.ratio->low == doctest::Approx(1.0465157));
  CHECK(one.ratio->high == doctest::Approx(1.1562177));
}

TEST_CASE("three recordings of a side are the samples") {
  const auto three = judged({{100, 104, 98, 102}, {101, 99, 103, 97}, {96, 100, 102, 105}},
                            {{110, 107, 112, 109}, {113, 111, 108, 115}, {106, 110, 109, 112}});
  REQUIRE(three.ratio);
  CHECK(three.change == Change::Slower);
  CHECK(three.ratio->low == doctest::Approx(1.0539964));
  CHECK(three.ratio->high == doctest::Approx(1.1480115));
  // Medians of recordings that are equal by chance do not mean that there is no noise.
  const std::vector<int64_t> low{100, 100, 130}, high{100, 130, 130};
  CHECK(changeOf({low, low, low}, {high, high, high}) == Change::WithinNoise);
}

// Of three equal recordings of 20 iterations, the variance of the mean of the logarithms of 100, 102 and 104 is
// 1.2819e-4, that of 110, 112 and 115 is 1.6663e-4. With two degrees of freedom each, Student's t is 2.7764 at 97.5 %;
// 112 / 102 times e to the +-2.7764 sqrt(2.9482e-4) is the interval. Of 110, 112, 115 and 113 the variance is
// 8.5629e-5; the degrees of freedom are Welch's 4.2886, and t is 2.7043.
TEST_CASE("recordings have one degree of freedom less than there are, of both sides together if they are as many") {
  const auto equal = [](int64_t ns) { return std::vector<int64_t>(20, ns); };
  const auto three = judged({equal(100), equal(102), equal(104)}, {equal(110), equal(112), equal(115)});
  REQUIRE(three.ratio);
  CHECK(three.ratio->low == doctest::Approx(1.0469209));
  CHECK(three.ratio->high == doctest::Approx(1.1516535));
  const auto four = judged({equal(100), equal(102), equal(104)}, {equal(110), equal(112), equal(115), equal(113)});
  REQUIRE(four.ratio);
  CHECK(four.ratio->low == doctest::Approx(1.0554658));
  CHECK(four.ratio->high == doctest::Approx(1.1423299));
  // The iterations of one recording cannot say so.
  const std::vector<int64_t> before{1000, 1010, 995, 1005, 990, 1008, 998, 1002};
  const std::vector<int64_t> after{1040, 1050, 1035, 1045, 1030, 1048, 1038, 1042};
  CHECK(changeOf({before}, {after}) == Change::WithinNoise);
  CHECK(changeOf({before, before, before}, {after, after, after}) == Change::Slower);
}

TEST_CASE("a difference of at most 5 % is drift unless both sides have three recordings") {
  const auto same = [](int64_t ns, size_t recordings) { return Samples(recordings, std::vector<int64_t>(5, ns)); };
  CHECK(changeOf(same(100, 1), same(105, 1)) == Change::WithinNoise);
  CHECK(changeOf(same(105, 1), same(100, 1)) == Change::WithinNoise);
  CHECK(changeOf(same(100, 1), same(106, 1)) == Change::Slower);
  CHECK(changeOf(same(106, 1), same(100, 1)) == Change::Faster);
  CHECK(changeOf(same(100, 2), same(105, 3)) == Change::WithinNoise);
  CHECK(changeOf(same(100, 3), same(101, 3)) == Change::Slower);
  CHECK(changeOf(same(100, 3), same(100, 3)) == Change::WithinNoise);
  CHECK(changeOf(same(0, 1), same(1, 1)) == Change::WithinNoise);  // 1 ns is the least that counts
  CHECK(changeOf(same(0, 1), same(100, 1)) == Change::Slower);
  CHECK(changeOf(same(INT64_MAX, 1), same(1, 1)) == Change::Faster);
}

TEST_CASE("iterations that follow each other closely are fewer samples") {
  const std::vector<int64_t> drifting{960, 970, 990, 1010, 1030, 1050, 1080, 1100},
      slower{1152, 1164, 1188, 1212, 1236, 1260, 1296, 1320};
  const auto mixed = [](std::vector<int64_t> times) {
    std::swap(times[0], times[4]);
    std::swap(times[3], times[6]);
    return times;
  };
  CHECK(changeOf({drifting}, {slower}) == Change::WithinNoise);
  CHECK(changeOf({mixed(drifting)}, {mixed(slower)}) == Change::Slower);
}

TEST_CASE("a few iterations differ if those of both sides are far apart") {
  const auto inLongTable = [](Samples before, Samples after) {
    const MeasuredTime a(std::move(before)), b(std::move(after)), same(Samples{kAbout100});
    std::vector<TwoTimes> table(40, TwoTimes{same, same});
    table.push_back({a, b});
    return judge(table).back().change;
  };
  CHECK(inLongTable({{100, 104, 101}}, {{130, 133, 126}}) == Change::Slower);
  CHECK(inLongTable({{130, 133, 126}}, {{100, 104, 101}}) == Change::Faster);
  CHECK(inLongTable({{100, 104, 101}}, {{130, 133, 124}}) == Change::WithinNoise);  // a gap of less than 20 %
  CHECK(inLongTable({{100, 120, 110}}, {{170, 160, 165}}) == Change::WithinNoise);  // ranges of 20 %, a gap of 33 %
}

TEST_CASE("times of a coarse clock, most of which are equal, have noise") {
  CHECK(changeOf({{10, 10, 11, 10, 10, 11, 10, 11}}, {{11, 11, 10, 11, 10, 11, 11, 10}}) == Change::WithinNoise);
  CHECK(changeOf({{10, 10, 11, 10, 10, 11, 10, 11}}, {{20, 20, 21, 20, 20, 21, 20, 21}}) == Change::Slower);
}

TEST_CASE("noise is unknown without iterations, and with fewer than three") {
  CHECK(changeOf({}, {kAbout100}) == Change::NoiseUnknown);
  CHECK(changeOf({{100, 101}}, {kAbout100}) == Change::NoiseUnknown);
  CHECK(changeOf({{100}, {101}}, {kAbout100}) == Change::NoiseUnknown);
  CHECK(changeOf({{100}, {101}, {102}}, {about(2)}) == Change::Slower);
  CHECK_FALSE(judged({}, {}).ratio);
}

TEST_CASE("rows of a table are judged together") {
  const MeasuredTime before(Samples{kAbout100}), after(Samples{{112, 108, 115, 110, 107, 113, 109, 111}}),
      tenfold(Samples{about(10)});
  // Its p-value is 0.0043, which a table of this many rows has by chance.
  const auto firstOf = [&](size_t rows, const MeasuredTime& others) {
    std::vector<TwoTimes> table{{before, after}};
    while (table.size() < rows) table.push_back({before, others});
    return judge(table).front().change;
  };
  CHECK(firstOf(11, before) == Change::Slower);
  CHECK(firstOf(12, before) == Change::WithinNoise);
  // Where most rows differ, there are fewer by chance among them.
  CHECK(firstOf(12, tenfold) == Change::Slower);
  // Rows of unknown noise do not count.
  CHECK(firstOf(12, MeasuredTime(100)) == Change::Slower);
}
