/// Finds where a function that consists of straight lines, but for rounding, changes its slope.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "support/rational.h"

namespace amdahlc {

/// Of a function of the factor, from 0 to 1.
struct WallBreaks {
  /// Samples at the standard factors, 0 and 1 among them, and then where straight lines between samples are off by more
  /// than the tolerance, the largest deviation first. Where two lines of neighbouring cells meet in a cell between
  /// them, the meeting point is sampled, too, as the simplest fraction whose value is within the rounding of both.
  std::map<Rational, double> samples;
  /// Those that the straight lines between standard ones and each other need to be within the tolerance of all samples;
  /// from 1 down, with all standard ones.
  std::vector<Rational> corners;
  /// The largest of these factors below 1 below which the slope is at most half of that at 1. nullopt if there is none,
  /// or if the function does not fall by more than the tolerance there.
  std::optional<Rational> knee;
  /// The corner that ends the slope below the knee; meaningless without one.
  Rational kneeEnd{0, 1};
  /// False if the samples did not suffice.
  bool isComplete = true;
};

/// At most `most` samples look for breaks.
WallBreaks wallBreaks(const std::function<double(const Rational&)>& function, std::vector<Rational> standard,
                      double tolerance, double rounding, size_t most);

Rational middleOf(const Rational& a, const Rational& b);
/// The fraction with the smallest denominator from `low` to `high`; low < high.
Rational simplestBetween(const Rational& low, const Rational& high);

}  // namespace amdahlc
