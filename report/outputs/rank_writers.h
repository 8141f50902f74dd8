/// The comparison of ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/fields.h"
#include "report/section.h"
#include "runs/ranks/comparison.h"

namespace amdahlc {

/// How many ranks there are, and how long their steps take, as a clause: wall time, else busy time.
std::string describeRanks(const ranks::RankComparison& ranks);

/// A line on the whole, and for each thing that a reader must know first: missing ranks, other steps, clocks that do
/// not agree.
std::vector<std::string> rankHeadlines(const ranks::RankComparison& ranks);

/// What to do about it, as a clause.
std::string adviceOn(const ranks::Straggler& straggler);

/// `rank 3`, `ranks 0..3, 7`.
std::string nameRanks(const std::vector<int64_t>& numbers);

/// Which clock drifts most, as a clause; empty if none drifts by so much that it matters.
std::string describeDrift(const ranks::RankComparison& ranks);

/// The keys of a rank, and those of the comparison.
extern const std::span<const Field<ranks::ComparedRank>> kRankFields;
extern const std::span<const Field<ranks::RankComparison>> kAcrossRanksFields;

}  // namespace amdahlc
