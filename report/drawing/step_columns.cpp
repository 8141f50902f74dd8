#include "report/drawing/step_columns.h"

#include <algorithm>

namespace amdahlc::drawing {
namespace {

__extension__ typedef __int128 Int128;

}  // namespace

size_t ColumnRange::columnOf(int64_t at) const {
  const Int128 column =
      (static_cast<Int128>(at) - from) * static_cast<Int128>(columns) / (static_cast<Int128>(to) - from);
  return static_cast<size_t>(std::clamp<Int128>(column, 0, static_cast<Int128>(columns) - 1));
}

bool ColumnRange::isLeftEdge(int64_t at) const {
  return (static_cast<Int128>(at) - from) * static_cast<Int128>(columns) % (static_cast<Int128>(to) - from) == 0;
}

std::vector<int64_t> highestLevels(std::span<const LevelChange> changes, const ColumnRange& range) {
  std::vector<int64_t> highest(range.columns, 0);
  int64_t level = 0;
  size_t i = 0, column = 0;
  for (; i < changes.size() && changes[i].at <= range.from; ++i) level += changes[i].by;
  highest[0] = level;
  while (i < changes.size() && changes[i].at < range.to) {
    const int64_t at = changes[i].at;
    // The level before holds up to here, which may be the left edge of a column.
    const size_t next = range.columnOf(at);
    const bool entersColumn = column < next;
    while (column < next) highest[++column] = level;
    for (; i < changes.size() && changes[i].at == at; ++i) level += changes[i].by;
    highest[column] = entersColumn && range.isLeftEdge(at) ? level : std::max(highest[column], level);
  }
  while (++column < range.columns) highest[column] = level;
  return highest;
}

std::vector<double> coveredShares(std::span<const std::pair<int64_t, int64_t>> intervals, const ColumnRange& range) {
  // In units of 1 / columns, a column is as long as the range.
  const Int128 length = static_cast<Int128>(range.to) - range.from;
  const auto scaled = [&](int64_t at) {
    return (static_cast<Int128>(std::clamp(at, range.from, range.to)) - range.from) *
           static_cast<Int128>(range.columns);
  };
  std::vector<Int128> covered(range.columns, 0);
  for (const auto& [start, end] : intervals) {
    if (end <= range.from || start >= range.to || end <= start) continue;
    const Int128 first = scaled(start), last = scaled(end);
    for (size_t column = static_cast<size_t>(first / length); column < range.columns; ++column) {
      const Int128 left = static_cast<Int128>(column) * length;
      if (left >= last) break;
      covered[column] += std::min(last, left + length) - std::max(first, left);
    }
  }
  std::vector<double> shares;
  for (const Int128 part : covered) shares.push_back(static_cast<double>(part) / static_cast<double>(length));
  return shares;
}

}  // namespace amdahlc::drawing
