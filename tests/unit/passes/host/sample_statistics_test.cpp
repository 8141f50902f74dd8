#include "passes/host/host_analysis.h"

#include <doctest/doctest.h>

#include <vector>

using namespace amdahlc;  // NOLINT(google-build-using-namespace)

namespace {

using Samples = std::vector<int64_t>;

SampleStatistics of(const Samples& samples) { return sampleStatistics(samples); }

TEST_CASE("quartiles are on the line between two samples, and in any order of samples") {
  const SampleStatistics five = of({50, 10, 40, 20, 30});
  CHECK(five.q1Ns == 20);
  CHECK(five.q3Ns == 40);
  const SampleStatistics four = of({10, 20, 30, 40});  // at 0.75 and 2.25
  CHECK(four.q1Ns == 18);                              // 17.5
  CHECK(four.q3Ns == 32);                              // 32.5
  CHECK(four.minNs == 10);
  CHECK(four.maxNs == 40);
}

TEST_CASE("quartiles are rounded half to even, also below zero") {
  CHECK(of({0, 2}).q1Ns == 0);    // 0.5
  CHECK(of({0, 2}).q3Ns == 2);    // 1.5
  CHECK(of({-2, 0}).q1Ns == -2);  // -1.5
  CHECK(of({-2, 0}).q3Ns == 0);   // -0.5
  CHECK(of({-3, 0}).q1Ns == -2);  // -2.25
  CHECK(of({-1, 0}).q1Ns == -1);  // -0.75
  CHECK(of({-3, 0}).q3Ns == -1);  // -0.75
}

TEST_CASE("whiskers end at the furthest samples within 1.5 times the box, the others are outside") {
  // Quartiles 10 and 20: within -5 and 35.
  const SampleStatistics edge = of({-5, 10, 10, 15, 20, 20, 35});
  CHECK(edge.q1Ns == 10);
  CHECK(edge.q3Ns == 20);
  CHECK(edge.lowerWhiskerNs == -5);
  CHECK(edge.upperWhiskerNs == 35);
  CHECK(edge.outside == 0);
  const SampleStatistics beyond = of({-6, 10, 10, 15, 20, 20, 36});
  CHECK(beyond.lowerWhiskerNs == 10);
  CHECK(beyond.upperWhiskerNs == 20);
  CHECK(beyond.outside == 2);
  CHECK(beyond.minNs == -6);
  CHECK(beyond.maxNs == 36);
}

TEST_CASE("half of a nanosecond counts") {
  // Quartiles 0 and 1: within -1.5 and 2.5.
  CHECK(of({-1, 0, 0, 0, 1, 1, 2}).outside == 0);
  CHECK(of({-2, 0, 0, 0, 1, 1, 3}).outside == 2);
}

TEST_CASE("a whisker is never inside of the box") {
  // The upper quartile, 25, is further than all samples within its reach, 62.
  const SampleStatistics stretched = of({0, 0, 0, 100});
  CHECK(stretched.q3Ns == 25);
  CHECK(stretched.upperWhiskerNs == 25);
  CHECK(stretched.lowerWhiskerNs == 0);
  CHECK(stretched.outside == 1);
  // Rounding leaves both samples outside.
  const SampleStatistics rounded = of({1, 3});
  CHECK(rounded.q1Ns == 2);
  CHECK(rounded.q3Ns == 2);
  CHECK(rounded.lowerWhiskerNs == 2);
  CHECK(rounded.upperWhiskerNs == 2);
  CHECK(rounded.outside == 2);
}

TEST_CASE("samples of 64 bits do not overflow") {
  const SampleStatistics wide = of({INT64_MIN, 0, INT64_MAX});
  CHECK(wide.q1Ns == INT64_MIN / 2);
  CHECK(wide.outside == 0);
  CHECK(wide.lowerWhiskerNs == INT64_MIN);
  CHECK(wide.upperWhiskerNs == INT64_MAX);
}

TEST_CASE("without samples all is zero, and one sample is all of its statistics") {
  CHECK(of({}) == SampleStatistics{});
  const SampleStatistics one = of({-7});
  for (const int64_t ns :
       {one.minNs, one.q1Ns, one.medianNs, one.q3Ns, one.maxNs, one.lowerWhiskerNs, one.upperWhiskerNs})
    CHECK(ns == -7);
}

}  // namespace
