#include "report/drawing/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace amdahlc::drawing {
namespace {

struct UnitName {
  double size;
  std::string_view name;
};

constexpr UnitName kTimes[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
constexpr UnitName kSizes[] = {{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"}};

/// Of two numbers that should be equal, and may not be after roundings.
constexpr double kTolerance = 1e-9;
/// Ends of a linear axis are multiples of a step of this part of it.
constexpr double kRoundParts = 5;
/// An axis of one value is so long, as a part of the value, that a double can tell its ends apart.
constexpr double kLeastExtent = 1e-6;
constexpr int kMostTicks = 1000;

/// The largest unit that is not larger than the value.
UnitName unitOf(double value, Unit unit) {
  const auto largest = [&](const auto& units) {
    UnitName found = units[0];
    for (const UnitName& one : units)
      if (std::abs(value) >= one.size * (1 - kTolerance)) found = one;
    return found;
  };
  if (unit == Unit::Number) return {1, ""};
  return unit == Unit::Bytes ? largest(kSizes) : largest(kTimes);
}

std::string textIn(double value, const UnitName& unit) {
  if (value == 0) return "0";
  return fmt::format("{:.6g}{}{}", value / unit.size, unit.name.empty() ? "" : " ", unit.name);
}

/// The smallest of 1, 2, 5, 10, 20, ... and of 0.5, 0.2, ... that is not smaller.
double roundStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - kTolerance)) return factor * power;
  return 10 * power;
}

}  // namespace

std::string formatQuantity(double value, Unit unit) { return textIn(value, unitOf(value, unit)); }

Scale::Scale(const Axis& axis)
    : kind_(axis.kind),
      unit_(axis.unit),
      linearTo_(axis.linearTo > 0 ? axis.linearTo : 1),
      wholeNumbers_(axis.wholeNumbers),
      low_(axis.low),
      high_(axis.high) {
  if (kind_ == ScaleKind::Logarithmic) {
    if (!(low_ > 0)) low_ = 1;
    if (!(high_ > low_)) high_ = low_ * base();
  }
  if (!(high_ > low_)) high_ = low_ + std::max(1.0, std::abs(low_) * kLeastExtent);
  if (!axis.roundEnds) return;
  if (kind_ == ScaleKind::Linear) {
    const double step = linearStep(1 / kRoundParts);
    low_ = step * std::floor(low_ / step + kTolerance);
    high_ = step * std::ceil(high_ / step - kTolerance);
  } else if (kind_ == ScaleKind::Logarithmic) {
    low_ = roundedDown(low_);
    high_ = roundedUp(high_);
  } else {
    low_ = low_ < 0 ? -roundedUp(-low_) : 0;
    high_ = high_ > 0 ? roundedUp(high_) : 0;
  }
}

double Scale::roundedUp(double value) const {
  if (unit_ == Unit::Bytes) return std::exp2(std::ceil(std::log2(value) - kTolerance));
  return roundStep(value);
}

double Scale::roundedDown(double value) const {
  if (unit_ == Unit::Bytes) return std::exp2(std::floor(std::log2(value) + kTolerance));
  const double power = std::pow(10, std::floor(std::log10(value) + kTolerance));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= value * (1 + kTolerance)) return factor * power;
  return power;
}

double Scale::transformed(double value) const {
  if (kind_ == ScaleKind::Logarithmic) return std::log(std::max(value, low_));
  return kind_ == ScaleKind::LinearNearZero ? std::asinh(value / linearTo_) : value;
}

double Scale::position(double value) const {
  const double low = transformed(low_), high = transformed(high_);
  const double at = (transformed(value) - low) / (high - low);
  return at > 0 ? std::min(at, 1.0) : 0;  // not a number is at 0, too
}

double Scale::linearStep(double leastDistance) const {
  const double unit = unitOf(std::max(std::abs(low_), std::abs(high_)), unit_).size;
  const double step = unit * roundStep((high_ - low_) / unit * leastDistance);
  return wholeNumbers_ ? std::max(step, 1.0) : step;
}

std::vector<double> Scale::linearTicks(double leastDistance) const {
  const double step = linearStep(std::max(leastDistance, 1.0 / kMostTicks));
  std::vector<double> values;
  const double first = std::ceil(low_ / step - kTolerance);
  for (int i = 0; i <= kMostTicks && (first + i) * step <= high_ + step * kTolerance; ++i)
    values.push_back((first + i) * step);
  return values;
}

std::vector<double> Scale::multiples(const std::vector<double>& of, int stride) const {
  std::vector<double> values;
  const double highest = std::max(std::abs(low_), std::abs(high_));
  // Below the logarithmic part lies zero alone, unless all values do.
  const double lowest = kind_ == ScaleKind::Logarithmic ? low_ : std::min(linearTo_, highest / base());
  const auto addMultiples = [&](double sign) {
    const int first = static_cast<int>(std::floor(std::log(lowest) / std::log(base()) + kTolerance));
    const int last = static_cast<int>(std::ceil(std::log(highest) / std::log(base())));
    for (int power = first; power <= last; ++power) {
      if (power % stride != 0) continue;
      for (const double factor : of) {
        const double size = factor * std::pow(base(), power), value = sign * size;
        if (size >= lowest * (1 - kTolerance) && value >= low_ - size * kTolerance &&
            value <= high_ + size * kTolerance)
          values.push_back(value);
      }
    }
  };
  addMultiples(1);
  if (kind_ == ScaleKind::LinearNearZero) {
    addMultiples(-1);
    if (low_ <= 0 && high_ >= 0) values.push_back(0);
  }
  std::ranges::sort(values);
  return values;
}

std::vector<double> Scale::logarithmicTicks(double leastDistance) const {
  // The label of zero is narrow.
  const auto isTooNear = [&](double a, double b) {
    return std::abs(position(a) - position(b)) < (a == 0 || b == 0 ? leastDistance / 2 : leastDistance);
  };
  const auto areApart = [&](const std::vector<double>& values) {
    return std::ranges::adjacent_find(values, isTooNear) == values.end();
  };
  // Zero comes before the smallest numbers beside it.
  const auto candidates = [&](const std::vector<double>& of, int stride) {
    std::vector<double> values = multiples(of, stride);
    if (kind_ == ScaleKind::LinearNearZero && low_ <= 0 && high_ >= 0)
      std::erase_if(values, [&](double value) { return value != 0 && isTooNear(value, 0); });
    return values;
  };
  const std::vector<double> fine =
      unit_ == Unit::Bytes ? std::vector<double>{1, 4, 16, 64, 256} : std::vector<double>{1, 2, 5};
  const std::vector<double> middle = unit_ == Unit::Bytes ? std::vector<double>{1, 32} : std::vector<double>{1};
  constexpr int kLargestStride = 16;
  std::vector<double> values = candidates(fine, 1);
  if (!areApart(values)) values = candidates(middle, 1);
  for (int stride = 1; stride <= kLargestStride && !areApart(values); ++stride) values = candidates({1}, stride);
  return values;
}

std::vector<Tick> Scale::ticks(double leastDistance) const {
  std::vector<Tick> out;
  if (kind_ == ScaleKind::Linear) {
    const UnitName unit = unitOf(std::max(std::abs(low_), std::abs(high_)), unit_);
    for (const double value : linearTicks(leastDistance)) out.push_back({value, textIn(value, unit)});
  } else {
    for (const double value : logarithmicTicks(leastDistance)) out.push_back({value, formatQuantity(value, unit_)});
  }
  return out;
}

std::vector<double> Scale::minorTicks() const {
  if (kind_ == ScaleKind::Linear) return {};
  if (unit_ == Unit::Bytes) return multiples({1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, 1);
  return multiples({1, 2, 3, 4, 5, 6, 7, 8, 9}, 1);
}

}  // namespace amdahlc::drawing
