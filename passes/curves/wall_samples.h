/// Finds where a function that consists of straight lines, but for rounding, changes its slope.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "support/rational.h"

namespace amdahlc {

/// Breaks are known to this part of the factor. A cell in which there may be one is halved no further.
inline constexpr int64_t kResolution = 1024;
/// Slopes are measured over at least this part of the factor, so that rounding does not matter.
inline constexpr int64_t kLeastSlopeRun = 32;

/// Samples of a function of the factor, from 0 to 1.
class WallSamples {
 public:
  using Function = std::function<double(const Rational&)>;

  /// Samples at the `standard` factors, 0 and 1 among them, and then where straight lines between samples are off by
  /// more than `tolerance`, the largest deviation first, at most `most` times. Where two lines of neighbouring cells
  /// meet in a cell between them, the meeting point is sampled, too, as the simplest fraction whose value is within
  /// `rounding` of both.
  WallSamples(Function function, const std::vector<Rational>& standard, double tolerance, double rounding, size_t most);

  const std::map<Rational, double>& values() const { return values_; }
  /// Those that the straight lines between `standard` ones and each other need to be within the tolerance of all
  /// samples; from 1 down, with all standard ones.
  std::vector<Rational> corners() const;
  /// The largest factor below 1, of these corners, below which the slope is at most half of that at 1. nullopt if there
  /// is none, or if the function does not fall by more than the tolerance there.
  std::optional<Rational> knee(const std::vector<Rational>& corners) const;
  /// The corner that ends the slope below a corner.
  Rational slopeEnd(const std::vector<Rational>& corners, const Rational& from) const;
  /// False if `most` samples did not suffice.
  bool isComplete() const { return isComplete_; }

 private:
  void refine(size_t most);
  void addMeetingPoints();
  double at(const Rational& factor);
  /// How far the value at `factor` is from the straight line between two samples.
  double deviation(const Rational& low, const Rational& factor, const Rational& high) const;
  void addCorners(const std::vector<Rational>& samples, size_t first, size_t last, std::vector<Rational>& out) const;
  double slope(const Rational& low, const Rational& high) const;

  const Function function_;
  std::vector<Rational> standard_;
  double tolerance_, rounding_;
  std::map<Rational, double> values_;
  /// Both ends of cells in which a line breaks.
  std::vector<std::pair<Rational, Rational>> broken_;
  bool isComplete_ = true;
};

/// The fraction with the smallest denominator from `low` to `high`; low < high.
Rational simplestBetween(const Rational& low, const Rational& high);

}  // namespace amdahlc
