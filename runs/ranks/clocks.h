/// By how much the clocks of the ranks differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runs/ranks/matching.h"
#include "runs/ranks/rank_record.h"

namespace amdahlc::ranks {

enum class ClockUse : uint8_t {
  /// No operation tells whether the clocks agree: times of different ranks are not compared.
  Unknown,
  /// They agree: in the median, ranks end operations together.
  AsRecorded,
  /// They do not. They are shifted so that ranks end operations together in the median.
  Aligned,
};

/// Ranks that end an operation further apart than this, in the median, have different clocks. In traces of one machine
/// they end it within a few microseconds.
inline constexpr int64_t kSameClockNs = 10'000;

struct Clocks {
  ClockUse use = ClockUse::Unknown;
  /// By rank, to add to its times; 0 for the lowest rank of those that are connected by operations. nullopt for a rank
  /// that is in none.
  std::vector<std::optional<int64_t>> offsetNs;
  /// By rank the lowest rank to which operations connect it: only times of ranks with the same one are compared.
  std::vector<size_t> connected;
};

/// Ranks are compared through the kinds of operations that synchronise them (`isSynchronizing`): no rank ends one
/// before the last has begun it, and all end it together.
Clocks clocksOf(std::span<const RankRecord> ranks, const Matching& matching);

}  // namespace amdahlc::ranks
