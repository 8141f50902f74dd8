/// Axes of charts: where a value is, and which values have labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace amdahlc::drawing {

/// What the numbers of an axis are, for its labels.
enum class Unit : uint8_t { Number, Nanoseconds, Bytes };

enum class ScaleKind : uint8_t {
  Linear,
  /// All values are positive.
  Logarithmic,
  /// Linear near zero and logarithmic beyond, on both sides of zero: the inverse hyperbolic sine.
  LinearNearZero,
};

/// An axis as data. The values of the chart are in [low, high].
struct Axis {
  std::string title = {};
  ScaleKind kind = ScaleKind::Linear;
  Unit unit = Unit::Number;
  double low = 0, high = 1;
  /// With `LinearNearZero`: about where the logarithmic part begins.
  double linearTo = 1;
  /// The ends are widened to round numbers.
  bool roundEnds = true;
  /// With `Linear`: labels are whole numbers.
  bool wholeNumbers = false;
};

struct Tick {
  double value = 0;
  std::string label;
};

/// Short, with a unit: `1.5 ms`, `20 us`, `4 MiB`, `0`.
std::string formatQuantity(double value, Unit unit);

/// An axis with its ends.
class Scale {
 public:
  explicit Scale(const Axis& axis);

  double low() const { return low_; }
  double high() const { return high_; }
  /// 0 at the low end, 1 at the high end; values beyond them are at the ends.
  double position(double value) const;

  /// Round numbers in ascending order that are at least `leastDistance` of the axis apart, or half of it from the zero
  /// of an axis that is linear near it. The labels of a linear axis have one unit.
  std::vector<Tick> ticks(double leastDistance) const;
  /// Values without labels between the powers of ten (of two, with bytes); none on a linear axis.
  std::vector<double> minorTicks() const;

 private:
  double transformed(double value) const;
  /// A round number that is at least this part of the axis.
  double linearStep(double leastDistance) const;
  std::vector<double> linearTicks(double leastDistance) const;
  std::vector<double> logarithmicTicks(double leastDistance) const;
  /// Powers of the base times these numbers, every `stride`th power, within the ends, with zero and negative ones.
  std::vector<double> multiples(const std::vector<double>& of, int stride) const;
  double base() const { return unit_ == Unit::Bytes ? 1024 : 10; }
  double roundedUp(double value) const;
  double roundedDown(double value) const;

  ScaleKind kind_;
  Unit unit_;
  double linearTo_;
  bool wholeNumbers_;
  double low_, high_;
};

}  // namespace amdahlc::drawing
