/// The times of a run if groups are faster: predicted often, so that what does not change is computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/curves/timed_groups.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "replay/schedule/busy_time.h"

namespace amdahlc {

/// A group of a list, and its new time / old time, at most 1.
struct GroupFactor {
  size_t group;
  Rational factor;
};

/// Predicts the times of one run as scenarios with the same factors would have them.
class GroupTimesPredictor {
 public:
  /// Both must outlive it. Cost: one sweep over the events, unless the run is replayed.
  GroupTimesPredictor(const RunPredictor& predictor, const std::vector<TimedGroup>& groups);

  const std::vector<TimedGroup>& groups() const { return groups_; }
  schedule::WallModel model() const { return predictor_.times().model(); }
  /// Where groups overlap, the later factor counts. Cost: that of a replay, or the number of sets of groups that are
  /// active together.
  schedule::PredictedTimes timesUnder(std::span<const GroupFactor> factors) const;
  /// How often `timesUnder` was called.
  int64_t predictions() const { return predictions_; }
  /// Events and calls that a replay walks over.
  size_t size() const { return predictor_.times().size(); }

 private:
  const std::vector<TimedGroup>& groups_;
  const RunPredictor& predictor_;
  /// By class of events and group, whether the class is a part of the group.
  std::vector<std::vector<bool>> isMember_;
  /// Without a replay.
  std::optional<schedule::BusySegments> segments_;
  mutable int64_t predictions_ = 0;
};

}  // namespace amdahlc
