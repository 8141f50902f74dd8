/// Predictions of scenarios by replaying the run.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/replayed_scenarios.h"
#include "passes/speedup_rewrite/structure_changes.h"
#include "schedule/replay.h"
#include "schedule/run_schedule.h"

namespace amdahlc {

/// New time / old time of what is not device work; 1 for what does not change.
struct HostFactors {
  Rational host = Rational::of(1);
  Rational launches = Rational::of(1);
  /// Of operators by name; the time in an operator inside of another one of the list counts as that of the outer one.
  struct Operators {
    std::string name;
    Rational factor;
  };
  std::vector<Operators> operators;
};

/// Replays one run under scenarios.
class ReplayPredictor {
 public:
  /// All must outlive it. Precondition: the cover is timed and has a schedule.
  ReplayPredictor(const schedule::RunModel& model, const ir::Cover& cover, const ir::KernelGraph& graph);

  /// The caller sets the name of the scenario. The prediction is unknown if a replayed time could exceed
  /// `limits::kTimeNs`.
  ReplayPrediction predict(const DeviceFactors& device, const HostFactors& host,
                           const StructureChanges& structure = {}) const;

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
  std::vector<schedule::HostStretch> stretchesOf(const HostFactors& host) const;

  const schedule::RunModel& model_;
  const ir::KernelGraph& graph_;
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

/// The names of the operators of a run that are on threads with calls; distinct, sorted.
std::vector<std::string> hostOperatorNames(const schedule::RunModel& model);

}  // namespace amdahlc
