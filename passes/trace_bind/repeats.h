/// Repetitions of a sequence: forwards that follow each other without a mark, in runs too large to look for a restart
/// at every position, and trips of a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace amdahlc::binding {

/// Where the sequence repeats: the places of eight elements in a row that occur several times, no two of them closer
/// than `least`. Of all such subsequences, those count that occur about as often as most of them do; the first of
/// these is returned. What comes between may differ. Empty if none occurs twice. The work of one layer repeats inside a
/// forward, too, but nearer than a forward is long. O(n log n) for n elements.
std::vector<size_t> repetitions(std::span<const uint32_t> sequence, size_t least);

}  // namespace amdahlc::binding
