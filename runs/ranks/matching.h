/// Which operations of several ranks are one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runs/ranks/rank_record.h"

namespace amdahlc::ranks {

/// The part that one rank has in an operation.
struct Participant {
  /// Index of the rank.
  uint32_t rank = 0;
  const CollectiveCall* call = nullptr;
};

/// An operation that several ranks execute together.
struct MatchedCollective {
  /// Into `Matching::keys`.
  uint32_t key = 0;
  /// Into `CommonSteps::steps`.
  uint32_t step = 0;
  /// By rank; two or more.
  std::vector<Participant> participants;
  /// Ranks of the group have no trace.
  bool isPartial = false;
};

struct Matching {
  /// Of all ranks, in ascending order.
  std::vector<CollectiveKey> keys;
  /// By key, step and order in the step.
  std::vector<MatchedCollective> collectives;
  // Calls in common steps that are in no matched operation.
  /// Sends and receives: traces do not say of which of them the other side is part.
  int64_t pointToPoint = 0;
  /// Only one of the given ranks takes part.
  int64_t alone = 0;
  /// Other ranks of the group have another number of such calls in the step, or none with this sequence number.
  int64_t uneven = 0;
  /// Their times are so far from those of other ranks that they cannot be of one run.
  int64_t farAway = 0;
};

/// Calls of one key and step correspond by their sequence numbers, else by their order, if all ranks of the group have
/// equally many. The ranks of a group are those that it names; if it names none, those with such calls. `numbers` are
/// the numbers of the ranks, ascending. The calls of `ranks` must outlive the result.
Matching matchCollectives(std::span<const RankRecord> ranks, std::span<const int64_t> numbers,
                          const CommonSteps& common);

/// Times that are compared differ by no more than this, 9 years. Offsets of clocks may be added without overflow.
inline constexpr int64_t kMostDistanceNs = int64_t{1} << 58;

/// The numbers in `[0, 1, 2]`. Empty if the text is no complete list.
std::vector<int64_t> ranksInText(std::string_view text);

}  // namespace amdahlc::ranks
