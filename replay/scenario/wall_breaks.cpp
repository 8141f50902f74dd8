// The cells between standard factors are halved where the middle is off the line between their ends. A function of
// straight lines has few corners, so that this goes deep around them only: two samples for each halving.
#include "replay/scenario/wall_breaks.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "support/insertion_sort.h"

namespace amdahlc {

Rational middleOf(const Rational& a, const Rational& b) {
  // Denominators stay small: those of standard factors times powers of two up to the resolution.
  return Rational::of(a.numerator * b.denominator + b.numerator * a.denominator, 2 * a.denominator * b.denominator);
}

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

namespace {

/// Breaks are known to this part of the factor. A cell in which there may be one is halved no further.
constexpr int64_t kResolution = 1024;
/// Slopes are measured over at least this part of the factor, so that rounding does not matter.
constexpr int64_t kLeastSlopeRun = 32;
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

class WallSamples {
 public:
  WallSamples(const std::function<double(const Rational&)>& function, std::vector<Rational> standard, double tolerance,
              double rounding)
      : function_(function), standard_(std::move(standard)), tolerance_(tolerance), rounding_(rounding) {
    insertionSort(standard_, std::less());
    for (const Rational& factor : standard_) at(factor);
  }

  WallBreaks find(size_t most) {
    if (samples_.rbegin()->second - samples_.begin()->second > tolerance_) {
      refine(most);
      addMeetingPoints();
    }
    WallBreaks found;
    found.corners = corners();
    found.knee = knee(found.corners);
    if (found.knee) found.kneeEnd = slopeEnd(found.corners, *found.knee);
    found.samples = std::move(samples_);
    found.isComplete = isComplete_;
    return found;
  }

 private:
  double at(const Rational& factor) {
    const auto found = samples_.find(factor);
    return found != samples_.end() ? found->second : samples_.emplace(factor, function_(factor)).first->second;
  }

  double slope(const Rational& low, const Rational& high) const {
    return (samples_.at(high) - samples_.at(low)) / (high.toDouble() - low.toDouble());
  }

  /// How far the value at `factor` is from the straight line between two samples.
  double deviation(const Rational& low, const Rational& factor, const Rational& high) const {
    const double line = samples_.at(low) + slope(low, high) * (factor.toDouble() - low.toDouble());
    return std::abs(samples_.at(factor) - line);
  }

  void refine(size_t most) {
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
        broken_.emplace(cell.low, cell.high);
        continue;
      }
      const size_t before = cells.size();
      look(cell.low, middle);
      look(middle, cell.high);
      // Both halves are straight: they meet in the middle, or near it within the tolerance.
      if (cells.size() == before) broken_.emplace(cell.low, cell.high);
    }
  }

  void addMeetingPoints() {
    for (const auto& [low, high] : broken_) {
      const auto lower = samples_.find(low), upper = samples_.find(high);
      if (lower == samples_.begin() || std::next(upper) == samples_.end()) continue;
      const Rational below = std::prev(lower)->first, above = std::next(upper)->first;
      const double slopeBelow = slope(below, low), slopeAbove = slope(high, above);
      if (slopeBelow == slopeAbove) continue;
      const double x = low.toDouble(), y = high.toDouble();
      const double meet =
          (samples_.at(high) - slopeAbove * y - samples_.at(low) + slopeBelow * x) / (slopeBelow - slopeAbove);
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

  void addCorners(const std::vector<Rational>& samples, size_t first, size_t last, std::vector<Rational>& out) const {
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

  std::vector<Rational> corners() const {
    std::vector<Rational> samples;
    for (auto it = samples_.rbegin(); it != samples_.rend(); ++it) samples.push_back(it->first);
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

  /// The corner that ends the slope below a corner.
  Rational slopeEnd(const std::vector<Rational>& corners, const Rational& from) const {
    for (const Rational& corner : corners)
      if (corner < from && (from.toDouble() - corner.toDouble()) * static_cast<double>(kLeastSlopeRun) >= 1)
        return corner;
    return corners.back();
  }

  std::optional<Rational> knee(const std::vector<Rational>& corners) const {
    const Rational end = slopeEnd(corners, corners.front());
    if (samples_.at(corners.front()) - samples_.at(end) <= tolerance_) return std::nullopt;
    const double first = slope(end, corners.front());
    size_t i = 1;
    while (i + 1 < corners.size() && 2 * slope(slopeEnd(corners, corners[i]), corners[i]) > first) ++i;
    // The slope may have been measured across the break.
    while (i + 1 < corners.size() && slopeEnd(corners, corners[i]) < corners[i + 1] &&
           2 * slope(corners[i + 1], corners[i]) > first)
      ++i;
    return i + 1 < corners.size() ? std::optional(corners[i]) : std::nullopt;
  }

  const std::function<double(const Rational&)>& function_;
  std::vector<Rational> standard_;
  double tolerance_, rounding_;
  std::map<Rational, double> samples_;
  /// Both ends of cells in which a line breaks.
  std::set<std::pair<Rational, Rational>> broken_;
  bool isComplete_ = true;
};

}  // namespace

WallBreaks wallBreaks(const std::function<double(const Rational&)>& function, std::vector<Rational> standard,
                      double tolerance, double rounding, size_t most) {
  return WallSamples(function, std::move(standard), tolerance, rounding).find(most);
}

}  // namespace amdahlc
