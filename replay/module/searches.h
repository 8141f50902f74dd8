/// What the page looks for by many predictions of a run: goals, curves, and what each group would save. All is
/// written as lists of numbers.
///
/// A page must not be held up: a search makes few new predictions and says whether it is done. Predictions are kept,
/// so that it begins anew with them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "replay/module/run_columns.h"
#include "replay/scenario/group_times.h"

namespace amdahlc {

/// Adds the model of wall time, busy time, wall time, window, caution; -1 for none.
void append(const schedule::PredictedTimes& times, std::vector<int64_t>& out);

class RunSearches {
 public:
  /// `run` must outlive it.
  explicit RunSearches(const ReadRun& run);

  /// The curve of a change that takes a new time, beside others, of which those of the same change do not count.
  /// False if the offer has no such change.
  bool beginCurve(uint32_t change, std::span<const ChosenChange> beside);
  /// The curve that was begun: whether it is complete; the numerator and the denominator of its knee, which is 0
  /// without one; places in `Offer::groups` of the next limit and of that of the rest, or -1; the reason why it is
  /// flat, and the share of it in millionths; the caution of the run without the group; and then for each point its
  /// numerator, denominator and times.
  bool curve(int64_t mostNew, std::vector<int64_t>& out);
  /// Whether the goal is met, whether it is reachable, whether the search was cut, whether to single groups; how many
  /// predictions it made; the target; the floor; and then for each solution its times, how many changes it has, and
  /// for each the place in `Offer::groups` and the speed-up in thousandths (above 1000000: no time). With a
  /// `denominator` the goal is to be so many times as fast, else so many ns.
  bool goal(int64_t numerator, int64_t denominator, int64_t mostNew, std::vector<int64_t>& out);
  /// For each of `Offer::groups` the times with it twice as fast, and without it.
  bool effects(int64_t mostNew, std::vector<int64_t>& out);

 private:
  const GroupTimesPredictor& groupTimes();

  const ReadRun& run_;
  std::vector<TimedGroup> groups_;
  std::optional<GroupTimesPredictor> groupTimes_;
  // The curve that was begun.
  std::optional<uint32_t> change_;
  std::vector<ChosenChange> beside_;
  /// By the group that is faster besides, or the number of groups, and by factor; nullopt where changes conflict.
  std::map<std::pair<size_t, Rational>, schedule::PredictedTimes> known_;
};

}  // namespace amdahlc
