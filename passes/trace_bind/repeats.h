/// Repetitions of a sequence: forwards that follow each other without a mark, in runs too large to look for a restart
/// at every position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace amdahlc::binding {

/// The lag of at least `least` elements at which the sequence agrees with itself most, the smallest of several; nullopt
/// if less than nine in ten elements agree at each lag. Tries the distances between neighbors of the rarest
/// subsequences that occur more than once: the work of one layer repeats inside a forward, too, but its begin and its
/// end do not.
/// O(n log n) for n elements.
std::optional<size_t> repetitionLag(std::span<const uint32_t> sequence, size_t least);

/// Where the repetitions begin if one begins at `first`: `first`, then about each `lag` elements, where a subsequence
/// like that at the begin before it is next.
std::vector<size_t> repetitionBegins(std::span<const uint32_t> sequence, size_t first, size_t lag);

}  // namespace amdahlc::binding
