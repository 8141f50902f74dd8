/// Curves over many events as one number for each column of a picture, so that a picture is bounded however long a run
/// is. Times are integers, columns are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace amdahlc::drawing {

/// What is drawn: [from, to) in this many columns of equal width. Preconditions: from < to, columns > 0.
struct ColumnRange {
  int64_t from = 0, to = 1;
  size_t columns = 1;

  /// The column of a time within the range.
  size_t columnOf(int64_t at) const;
  bool isLeftEdge(int64_t at) const;
};

/// A level that changes at `at` by `by`.
struct LevelChange {
  int64_t at = 0;
  int64_t by = 0;
};

/// The highest level in each column, of a level that is 0 before the first change. Changes at one time are one change.
/// O(columns + n) for changes in order of time, which is a precondition.
std::vector<int64_t> highestLevels(std::span<const LevelChange> changes, const ColumnRange& range);

/// The covered share of each column, from 0 to 1. O(columns + n) for disjoint intervals [first, second) in order of
/// time, which is a precondition.
std::vector<double> coveredShares(std::span<const std::pair<int64_t, int64_t>> intervals, const ColumnRange& range);

}  // namespace amdahlc::drawing
