/// What two sequences have in common, in order: how the calls of one iteration correspond to those of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace amdahlc {

/// Pairs of places with equal elements, ascending in both sequences: a longest common subsequence where the sequences
/// differ in few elements, else a long one. By the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and
/// Its Variations" (1986), which starts again from the furthest place that it has reached after `limits::kDifferences`
/// differences. So the time is linear in the lengths, whatever the sequences are.
std::vector<std::pair<size_t, size_t>> commonSubsequence(std::span<const uint32_t> a, std::span<const uint32_t> b);

/// The place in `whole` of each element of `part`: those of `commonSubsequence` if it has all of `part`, else the first
/// possible ones. nullopt if `part` is no subsequence of `whole`. The time is linear in the lengths.
std::optional<std::vector<size_t>> placesOf(std::span<const uint32_t> part, std::span<const uint32_t> whole);

}  // namespace amdahlc
