/// The times of a run if groups are faster: predicted often, so that what does not change is computed once.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "replay/scenario/run_scenario.h"
#include "replay/scenario/timed_group.h"
#include "replay/schedule/busy_time.h"

namespace amdahlc {

/// A group of a list, and its new time / old time, at most 1.
struct GroupFactor {
  size_t group;
  Rational factor;
  friend bool operator<(const GroupFactor& a, const GroupFactor& b) {
    return a.group != b.group ? a.group < b.group : a.factor < b.factor;
  }
};

/// Predicts the times of one run as scenarios with the same factors would have them. A prediction is kept, so that the
/// same one is made once.
///
/// A caller that has little time lets a search make few new predictions, asks whether it was stopped, and begins it
/// anew: what was predicted before costs nothing then.
class GroupTimesPredictor {
 public:
  /// All must outlive it. Cost: one sweep over the events, unless the run is replayed.
  GroupTimesPredictor(const schedule::Predictor& predictor, const ScenarioRun& run,
                      const std::vector<TimedGroup>& groups);

  const std::vector<TimedGroup>& groups() const { return groups_; }
  schedule::WallModel model() const { return predictor_.model(); }
  /// Where groups overlap, the later factor counts. Once it is stopped, it gives the times of the unchanged run. Cost:
  /// that of a replay, or the number of sets of groups that are active together.
  schedule::PredictedTimes timesUnder(std::span<const GroupFactor> factors) const;
  /// How often `timesUnder` was called since the beginning, or since `begin`.
  int64_t predictions() const { return predictions_; }
  /// Begins a search that may make so many new predictions.
  void begin(int64_t mostNew) const;
  /// Whether a search needed more of them, so that what it found is worth nothing.
  bool isStopped() const { return isStopped_; }
  /// Events and calls that a replay walks over.
  size_t size() const { return predictor_.size(); }

 private:
  schedule::PredictedTimes predict(std::span<const GroupFactor> factors) const;

  const std::vector<TimedGroup>& groups_;
  const schedule::Predictor& predictor_;
  const ScenarioRun& run_;
  /// By class of events and group, whether the class is a part of the group.
  std::vector<std::vector<bool>> isMember_;
  /// Without a replay.
  std::optional<schedule::BusySegments> segments_;
  mutable std::map<std::vector<GroupFactor>, schedule::PredictedTimes> known_;
  mutable int64_t predictions_ = 0, mostNew_ = std::numeric_limits<int64_t>::max();
  mutable bool isStopped_ = false;
};

}  // namespace amdahlc
