/// By how much the clocks of the ranks differ.
#pragma once

#include <algorithm>
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

/// How the difference of two clocks changes, as a line through the ends of their operations has it.
struct ClockDrift {
  /// From the first operation to the last one. A positive drift makes the second clock fall behind.
  int64_t ns = 0;
  /// The same per 10^9 ns.
  int64_t partsPerBillion = 0;
  /// Three times the median distance of the operations from the line: a smaller drift may be none.
  int64_t noiseNs = 0;
  double partsPerMillion() const { return static_cast<double>(partsPerBillion) / 1000; }
  /// Whether times that are compared with one shift of the clocks are off by it.
  bool matters() const { return std::max(ns, -ns) > std::max(kSameClockNs, noiseNs); }
  friend bool operator==(const ClockDrift&, const ClockDrift&) = default;
};

struct Clocks {
  ClockUse use = ClockUse::Unknown;
  /// By rank, to add to its times; 0 for the lowest rank of those that are connected by operations. nullopt for a rank
  /// that is in none.
  std::vector<std::optional<int64_t>> offsetNs;
  /// By rank, of its clock against that of the lowest rank of those that are connected; nullopt where operations are
  /// too few to tell.
  std::vector<std::optional<ClockDrift>> drift;
  /// By rank the lowest rank to which operations connect it: only times of ranks with the same one are compared.
  std::vector<size_t> connected;
};

/// Ranks are compared through the kinds of operations that synchronise them (`isSynchronizing`): no rank ends one
/// before the last has begun it, and all end it together.
Clocks clocksOf(std::span<const RankRecord> ranks, const Matching& matching);

}  // namespace amdahlc::ranks
