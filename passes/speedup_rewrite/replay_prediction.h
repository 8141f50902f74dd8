/// Predictions of scenarios by replaying the run.
#pragma once

#include <vector>

#include "ir/module.h"
#include "passes/speedup_rewrite/replayed_scenarios.h"
#include "passes/speedup_rewrite/run_changes.h"
#include "schedule/replay.h"
#include "schedule/run_schedule.h"

namespace amdahlc {

/// Replays one run under scenarios.
class ReplayPredictor {
 public:
  /// All must outlive it. Precondition: the cover is timed and has a schedule.
  ReplayPredictor(const schedule::RunModel& model, const ir::Cover& cover);

  /// The caller sets the name of the scenario. The prediction is unknown if a replayed time could exceed
  /// `limits::kTimeNs`.
  ReplayPrediction predict(const RunChanges& scenario) const;

 private:
  /// Time in which selected events run, and `schedule::selectedWallNs`.
  struct Times {
    int64_t busyNs = 0, wallNs = 0;
    std::optional<int64_t> windowNs = 0;
  };
  Times timesOf(const schedule::ReplayedRun& run) const;
  /// A difference of times in which any selected iteration was under way, as a difference of the sum of all walls: a
  /// host that runs ahead lets iterations overlap, and such a time is in several walls.
  int64_t inSums(int64_t extentNs) const;
  /// Whether no time exceeds the limit if nothing takes longer than its measured time by more than a factor.
  bool fits(const schedule::Changes& changes) const;

  const schedule::RunModel& model_;
  const Timeline& timeline_;
  const schedule::RunSchedule& schedule_;
  /// By event.
  std::vector<ir::KernelId> owners_;
  Times measured_, unchanged_;
  /// The time in which any selected iteration was under way.
  int64_t measuredExtentNs_ = 0;
  /// No chain of causes in the run takes longer.
  __int128 longestNs_ = 0;
};

}  // namespace amdahlc
