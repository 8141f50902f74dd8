/// The ranks of a run side by side: what each takes, and which waits for which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runs/ranks/clocks.h"
#include "runs/ranks/numbering.h"
#include "runs/ranks/rank_record.h"
#include "support/data_problems.h"
#include "support/statistics.h"

namespace amdahlc::ranks {

/// One rank, over the steps that all ranks have; over its own, if they have none in common.
struct ComparedRank {
  int64_t number = 0;
  std::string file, device;
  int64_t steps = 0;
  TimeStatistics busy;
  /// nullopt where the trace has no starts, or a step has no enclosing annotation.
  std::optional<TimeStatistics> wall, window;
  /// nullopt for the reason that follows, and if no step is compared.
  std::optional<BreakdownStatistics> breakdown;
  std::optional<Absence> noBreakdown;
  /// Operations that need all of their ranks, and of which the clocks tell how long the rank waits.
  int64_t operations = 0;
  /// When it waits for the last rank inside of operations that it has begun: the union, part of its communication.
  /// nullopt without operations.
  std::optional<TimeStatistics> wait;
  /// The part of it in which nothing computes: without it the step could be so much shorter. nullopt as `wait`.
  std::optional<TimeStatistics> exposedWait;
  /// How much later than the first rank it begins an operation, mean; nullopt without operations.
  std::optional<int64_t> skewNs;
  /// Operations that it began last, and how long others waited for it, the sum over ranks and steps.
  int64_t last = 0, waitedForNs = 0;
  /// To add to its times; nullopt if it is not known.
  std::optional<int64_t> clockOffsetNs;
  /// Of the clock against that of the lowest rank that operations connect it with; nullopt if it is not known.
  std::optional<ClockDrift> clockDrift;
  /// Own steps that are not compared, because another rank lacks them.
  std::vector<std::string> otherSteps;
};

/// All operations of one key.
struct ComparedCollective {
  CollectiveKey key;
  int64_t ranks = 0;
  int64_t count = 0;
  /// Of the last start after the first; of the last end after the first.
  TimeStatistics startSkew, endSkew;
  int64_t mostStartSkewNs = 0;
  /// The sum over ranks and operations; nullopt if it does not need all of its ranks.
  std::optional<int64_t> waitNs;
  /// The number of the rank that most often began last, the lowest of several, and how often; nullopt if none was
  /// later than another.
  std::optional<std::pair<int64_t, int64_t>> mostOftenLast;
};

/// How long one rank waited for another that began last: the union over the operations.
struct Waiting {
  int64_t rank = 0, forRank = 0;
  int64_t ns = 0;
  /// The part of it in which nothing computes on `rank`.
  int64_t exposedNs = 0;
};

/// The rank for which the others wait. Times are means per step and rank that waits.
struct Straggler {
  int64_t rank = 0;
  int64_t waitNs = 0;
  /// The part of it in which nothing computes.
  int64_t exposedWaitNs = 0;
  /// Of all waiting.
  double share = 0;
  /// By how much it begins its last operations after the rank before it: the mean over the operations that it began
  /// last. So much earlier it would not be the last one.
  int64_t behindNextNs = 0;
  /// By how much its computation per step exceeds the median of the other ranks; nullopt if it is not known.
  std::optional<int64_t> moreComputationNs;
};

enum class StragglerSearch : uint8_t {
  /// No operation that needs all of its ranks could be compared.
  Unknown,
  /// No rank has more than half of the waiting for it, or less than 1 % of wall is exposed.
  None,
  Found,
};

struct RankComparison {
  /// Ascending.
  std::vector<ComparedRank> ranks;
  NumberSource numbering = NumberSource::Order;
  /// Of the lowest rank, as in the target of its trace.
  std::string runtime;
  /// As the traces state it, else the largest group that they name; nullopt if neither.
  std::optional<int64_t> worldSize;
  /// Ranks without a trace, ascending, the first `limits::kRanksOfRun`: below the size of the world, in groups of
  /// operations, or between given ones. And how many there are.
  std::vector<int64_t> missing;
  int64_t missingCount = 0;
  std::vector<StepName> steps;
  Clocks clocks;
  /// Most waiting first.
  std::vector<ComparedCollective> collectives;
  /// Longest first.
  std::vector<Waiting> waits;
  StragglerSearch search = StragglerSearch::Unknown;
  /// Of a search that found one.
  std::optional<Straggler> straggler;
  /// Compared operations that need all of their ranks; those of groups of which ranks have no trace; those of which the
  /// group is not known.
  int64_t compared = 0, partial = 0, assumed = 0;
  /// Of this comparison and of all traces.
  DataProblems problems;
};

/// `numbers` are those of the records, in any order. Precondition: there is at least one record.
RankComparison compareRanks(std::vector<RankRecord> records, const Numbering& numbering);

}  // namespace amdahlc::ranks
