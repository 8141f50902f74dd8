/// The times of a run if groups are faster: predicted often, so that what does not change is computed once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/kernel_graph.h"
#include "passes/curves/timed_groups.h"
#include "passes/speedup_rewrite/replay_prediction.h"
#include "schedule/busy_time.h"

namespace amdahlc {

/// A group of a list, and its new time / old time, at most 1.
struct GroupFactor {
  size_t group;
  Rational factor;
};

/// Totals over the selected iterations.
struct GroupTimes {
  double busyNs = 0;
  /// nullopt if the events have no starts.
  std::optional<double> wallNs;
  /// nullopt if it is not known, and where idle time is kept.
  std::optional<double> windowNs;
  /// Why the times are worth little.
  ReplayPrediction::Caution caution = ReplayPrediction::Caution::None;

  /// Wall time, or busy time of a run without it.
  double limitNs() const { return wallNs ? *wallNs : busyNs; }
  friend bool operator==(const GroupTimes&, const GroupTimes&) = default;
};

/// Predicts the times of one run: by replay where the run has a model, else with idle time kept. The same factors give
/// the same times as a scenario with them.
class GroupTimesPredictor {
 public:
  /// All must outlive it. Precondition: the cover is timed; with a model the run has a schedule. Cost: one sweep over
  /// the events, or one replay.
  GroupTimesPredictor(const ir::Module& module, const PredictedRun& run, const std::vector<TimedGroup>& groups);

  const std::vector<TimedGroup>& groups() const { return groups_; }
  bool isReplayed() const { return replay_.has_value(); }
  /// Where groups overlap, the later factor counts. Cost: that of a replay, or the number of sets of groups that are
  /// active together.
  GroupTimes timesUnder(std::span<const GroupFactor> factors) const;
  /// How often `timesUnder` was called.
  int64_t predictions() const { return predictions_; }
  /// Events and calls that a prediction walks over.
  size_t size() const { return size_; }

 private:
  GroupTimes withIdleKept(std::span<const GroupFactor> factors) const;

  const ir::Cover& cover_;
  const std::vector<TimedGroup>& groups_;
  std::optional<ReplayPredictor> replay_;
  /// By class of events and group, whether the class is a part of the group.
  std::vector<std::vector<bool>> isMember_;
  std::optional<schedule::BusySegments> segments_;
  double measuredBusyNs_ = 0;
  std::optional<double> measuredWallNs_;
  size_t size_ = 0;
  mutable int64_t predictions_ = 0;
};

}  // namespace amdahlc
