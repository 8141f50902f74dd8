#include "report/drawing/scale.h"

#include <doctest/doctest.h>

#include <limits>

using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

using Labels = std::vector<std::string>;

Labels labelsOf(const Axis& axis, double leastDistance) {
  Labels labels;
  for (const Tick& tick : Scale(axis).ticks(leastDistance)) labels.push_back(tick.label);
  return labels;
}

TEST_CASE("quantities have the largest unit that fits") {
  CHECK(formatQuantity(0, Unit::Nanoseconds) == "0");
  CHECK(formatQuantity(999, Unit::Nanoseconds) == "999 ns");
  CHECK(formatQuantity(-1500, Unit::Nanoseconds) == "-1.5 us");
  CHECK(formatQuantity(2e9, Unit::Nanoseconds) == "2 s");
  CHECK(formatQuantity(1536, Unit::Bytes) == "1.5 KiB");
  CHECK(formatQuantity(12.5, Unit::Number) == "12.5");
}

TEST_CASE("ticks of a linear axis are round, of one unit, and so far apart as asked") {
  CHECK(labelsOf({.unit = Unit::Nanoseconds, .low = 0, .high = 1.2e6, .roundEnds = false}, 0.1) ==
        Labels{"0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1 ms", "1.2 ms"});
  CHECK(labelsOf({.unit = Unit::Nanoseconds, .low = 0, .high = 1.2e6, .roundEnds = false}, 0.3) ==
        Labels{"0", "0.5 ms", "1 ms"});
  CHECK(labelsOf({.unit = Unit::Bytes, .low = 0, .high = 3 * 1048576.0}, 0.3) ==
        Labels{"0", "1 MiB", "2 MiB", "3 MiB"});
  CHECK(labelsOf({.low = -3, .high = 7, .roundEnds = false}, 0.3) == Labels{"0", "5"});
}

TEST_CASE("an axis of whole numbers has no others") {
  CHECK(labelsOf({.low = 0, .high = 2, .wholeNumbers = true}, 0.01) == Labels{"0", "1", "2"});
  CHECK(labelsOf({.low = 0, .high = 2}, 0.25) == Labels{"0", "0.5", "1", "1.5", "2"});
}

TEST_CASE("round ends contain the values") {
  const Scale scale({.low = -12, .high = 93});
  CHECK(scale.low() == -50);
  CHECK(scale.high() == 100);
  const Scale logarithmic({.kind = ScaleKind::Logarithmic, .low = 0.3, .high = 60});
  CHECK(logarithmic.low() == doctest::Approx(0.2));
  CHECK(logarithmic.high() == doctest::Approx(100));
  const Scale bytes({.kind = ScaleKind::Logarithmic, .unit = Unit::Bytes, .low = 3, .high = 4096});
  CHECK(bytes.low() == 2);
  CHECK(bytes.high() == 4096);
}

TEST_CASE("an axis that is linear near zero has zero, powers of ten, and both signs") {
  const Axis axis{
      .kind = ScaleKind::LinearNearZero, .unit = Unit::Nanoseconds, .low = -3000, .high = 2e6, .linearTo = 1000};
  CHECK(labelsOf(axis, 0.06) == Labels{"-1 us", "0", "1 us", "10 us", "100 us", "1 ms"});
  CHECK(labelsOf(axis, 0.1) == Labels{"-1 us", "0", "1 us", "10 us", "100 us", "1 ms"});
  CHECK(labelsOf(axis, 0.2) == Labels{"0", "10 us", "100 us", "1 ms"});
  const Scale scale(axis);
  CHECK(scale.low() == doctest::Approx(-5000));
  // Linear: half of a small value is at half of its distance from zero. Logarithmic: factors are distances.
  const double zero = scale.position(0);
  CHECK(scale.position(100) - zero == doctest::Approx(2 * (scale.position(50) - zero)).epsilon(0.01));
  CHECK(scale.position(1e6) - scale.position(1e5) ==
        doctest::Approx(scale.position(1e5) - scale.position(1e4)).epsilon(0.01));
  CHECK(zero - scale.position(-500) == doctest::Approx(scale.position(500) - zero));
}

TEST_CASE("few decades have finer ticks") {
  CHECK(labelsOf({.kind = ScaleKind::Logarithmic, .low = 1, .high = 20}, 0.1) == Labels{"1", "2", "5", "10", "20"});
  CHECK(labelsOf({.kind = ScaleKind::Logarithmic, .unit = Unit::Bytes, .low = 1, .high = 1073741824.0}, 0.2) ==
        Labels{"1 B", "1 KiB", "1 MiB", "1 GiB"});
}

TEST_CASE("values beyond the ends are at the ends") {
  const Scale scale({.low = 0, .high = 10});
  CHECK(scale.position(-1) == 0);
  CHECK(scale.position(11) == 1);
  CHECK(scale.position(std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("an axis of one value, however large, has a length and few ticks") {
  for (const double value : {0.0, 1.0, -5.0, 9.2e18})
    for (const ScaleKind kind : {ScaleKind::Linear, ScaleKind::Logarithmic, ScaleKind::LinearNearZero}) {
      const Scale scale({.kind = kind, .unit = Unit::Nanoseconds, .low = value, .high = value});
      CHECK(scale.low() < scale.high());
      CHECK(scale.ticks(0.1).size() <= 12);
    }
}

}  // namespace
