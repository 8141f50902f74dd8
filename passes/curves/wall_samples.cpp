// The cells between standard factors are halved where the middle is off the line between their ends. A function of
// straight lines has few corners, so that this goes deep around them only: two samples for each halving.
#include "passes/curves/wall_samples.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

namespace amdahlc {
namespace {

Rational middleOf(const Rational& a, const Rational& b) {
  // Denominators stay small: those of standard factors times powers of two up to the resolution.
  return Rational::of(a.numerator * b.denominator + b.numerator * a.denominator, 2 * a.denominator * b.denominator);
}

/// The grid of meeting points before they are made simple: far below the resolution.
constexpr int64_t kFinest = int64_t{1} << 26;

struct Cell {
  double deviation;
  Rational low, high;
  friend bool operator<(const Cell& a, const Cell& b) {
    return std::tie(a.deviation, a.high) < std::tie(b.deviation, b.high);
  }
};

bool isSmall(const Cell& cell) {
  return (cell.high.toDouble() - cell.low.toDouble()) * static_cast<double>(kResolution) <= 1;
}

}  // namespace

Rational simplestBetween(const Rational& low, const Rational& high) {
  // By continued fractions: the first whole number, or one step deeper.
  const int64_t whole = low.numerator / low.denominator;
  if (whole * low.denominator == low.numerator) return Rational::of(whole);
  if (Rational::of(whole + 1) < high || Rational::of(whole + 1) == high) return Rational::of(whole + 1);
  const auto inverseOfRest = [&](const Rational& value) {
    return Rational::of(value.denominator, value.numerator - whole * value.denominator);
  };
  const Rational deeper = simplestBetween(inverseOfRest(high), inverseOfRest(low));
  return Rational::of(whole * deeper.numerator + deeper.denominator, deeper.numerator);
}

WallSamples::WallSamples(Function function, const std::vector<Rational>& standard, double tolerance, double rounding,
                         size_t most)
    : function_(std::move(function)), standard_(standard), tolerance_(tolerance), rounding_(rounding) {
  std::sort(standard_.begin(), standard_.end());
  for (const Rational& factor : standard_) at(factor);
  if (values_.rbegin()->second - values_.begin()->second <= tolerance_) return;
  refine(most);
  addMeetingPoints();
}

double WallSamples::at(const Rational& factor) {
  const auto found = values_.find(factor);
  return found != values_.end() ? found->second : values_.emplace(factor, function_(factor)).first->second;
}

double WallSamples::slope(const Rational& low, const Rational& high) const {
  return (values_.at(high) - values_.at(low)) / (high.toDouble() - low.toDouble());
}

double WallSamples::deviation(const Rational& low, const Rational& factor, const Rational& high) const {
  const double line = values_.at(low) + slope(low, high) * (factor.toDouble() - low.toDouble());
  return std::abs(values_.at(factor) - line);
}

void WallSamples::refine(size_t most) {
  std::priority_queue<Cell> cells;
  size_t taken = 0;
  const auto look = [&](const Rational& low, const Rational& high) {
    const Rational middle = middleOf(low, high);
    at(middle);
    ++taken;
    if (const double off = deviation(low, middle, high); off > tolerance_) cells.push({off, low, high});
  };
  for (size_t i = 0; i + 1 < standard_.size(); ++i) look(standard_[i], standard_[i + 1]);
  while (!cells.empty()) {
    const Cell cell = cells.top();
    cells.pop();
    const Rational middle = middleOf(cell.low, cell.high);
    if (isSmall(cell) || taken >= most) {
      isComplete_ &= isSmall(cell);
      broken_.emplace_back(cell.low, cell.high);
      continue;
    }
    const size_t before = cells.size();
    look(cell.low, middle);
    look(middle, cell.high);
    // Both halves are straight: they meet in the middle, or near it within the tolerance.
    if (cells.size() == before) broken_.emplace_back(cell.low, cell.high);
  }
}

void WallSamples::addMeetingPoints() {
  std::sort(broken_.begin(), broken_.end());
  for (const auto& [low, high] : broken_) {
    const auto lower = values_.find(low), upper = values_.find(high);
    if (lower == values_.begin() || std::next(upper) == values_.end()) continue;
    const Rational below = std::prev(lower)->first, above = std::next(upper)->first;
    const double slopeBelow = slope(below, low), slopeAbove = slope(high, above);
    if (slopeBelow == slopeAbove) continue;
    const double x = low.toDouble(), y = high.toDouble();
    const double meet =
        (values_.at(high) - slopeAbove * y - values_.at(low) + slopeBelow * x) / (slopeBelow - slopeAbove);
    if (!(meet > x && meet < y)) continue;
    const auto scaled = [&](double value) {
      return Rational::of(std::llround(std::clamp(value, x, y) * kFinest), kFinest);
    };
    const double near =
        std::min(rounding_ / (2 * std::abs(slopeBelow - slopeAbove)), 0.25 / static_cast<double>(kResolution));
    const Rational from = scaled(meet - near), to = scaled(meet + near);
    if (from < to) at(simplestBetween(from, to));
  }
}

void WallSamples::addCorners(const std::vector<Rational>& samples, size_t first, size_t last,
                             std::vector<Rational>& out) const {
  size_t furthest = first;
  double most = tolerance_;
  for (size_t i = first + 1; i < last; ++i) {
    const double off = deviation(samples[last], samples[i], samples[first]);
    if (off > most) std::tie(most, furthest) = std::pair(off, i);
  }
  if (furthest == first) return;
  addCorners(samples, first, furthest, out);
  out.push_back(samples[furthest]);
  addCorners(samples, furthest, last, out);
}

std::vector<Rational> WallSamples::corners() const {
  std::vector<Rational> samples;
  for (auto it = values_.rbegin(); it != values_.rend(); ++it) samples.push_back(it->first);
  std::vector<Rational> out{samples.front()};
  size_t first = 0;
  for (size_t i = 1; i < samples.size(); ++i) {
    if (!std::binary_search(standard_.begin(), standard_.end(), samples[i])) continue;
    addCorners(samples, first, i, out);
    out.push_back(samples[i]);
    first = i;
  }
  return out;
}

Rational WallSamples::slopeEnd(const std::vector<Rational>& corners, const Rational& from) const {
  for (const Rational& corner : corners)
    if (corner < from && (from.toDouble() - corner.toDouble()) * static_cast<double>(kLeastSlopeRun) >= 1)
      return corner;
  return corners.back();
}

std::optional<Rational> WallSamples::knee(const std::vector<Rational>& corners) const {
  const Rational end = slopeEnd(corners, corners.front());
  if (values_.at(corners.front()) - values_.at(end) <= tolerance_) return std::nullopt;
  const double first = slope(end, corners.front());
  size_t i = 1;
  while (i + 1 < corners.size() && 2 * slope(slopeEnd(corners, corners[i]), corners[i]) > first) ++i;
  // The slope may have been measured across the break.
  while (i + 1 < corners.size() && slopeEnd(corners, corners[i]) < corners[i + 1] &&
         2 * slope(corners[i + 1], corners[i]) > first)
    ++i;
  return i + 1 < corners.size() ? std::optional(corners[i]) : std::nullopt;
}

}  // namespace amdahlc
