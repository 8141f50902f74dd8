/// The alignment of two sequences that are almost the same (`commonSubsequence`), without what could be aligned in
/// another way as well. Internal to the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace amdahlc::execution_trace {

struct Alignment {
  /// Pairs of positions with equal elements, ascending in both.
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  /// Further such pairs that are left out, because a gap beside them may as well be one element further: of three equal
  /// elements in a row against two, nothing tells which one is missing.
  size_t ambiguous = 0;
};

/// nullopt if more than `mostDifferences` elements are only in one of them.
std::optional<Alignment> align(std::span<const uint32_t> left, std::span<const uint32_t> right, size_t mostDifferences);

}  // namespace amdahlc::execution_trace
