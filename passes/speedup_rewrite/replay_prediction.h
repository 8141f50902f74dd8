/// Predictions of scenarios by replaying the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/speedup_rewrite/run_changes.h"
#include "schedule/replay.h"
#include "schedule/run_schedule.h"

namespace amdahlc {

/// The prediction of one scenario: measured + (replay of the scenario - replay of the unchanged run), over the
/// selected iterations. Iterations may overlap in a replay; that time counts once. A scenario that makes nothing
/// slower delays nothing, and one that makes nothing faster saves nothing: what a selected iteration gains or loses
/// otherwise, an iteration before it that is not selected lost or gained, and it is not predicted.
struct ReplayPrediction {
  /// False if times of the replay would exceed 64 bits; then there are no others.
  bool isKnown = true;
  int64_t busyNs = 0;
  int64_t wallNs = 0;
  /// nullopt if the measured window is not known, or its thread makes no calls.
  std::optional<int64_t> windowNs;
  /// Why the prediction is worth little.
  enum class Caution : uint8_t {
    None,
    /// It saves, or costs, less than the replay of the unchanged run is off.
    WithinError,
    /// Too much of the run waits for what the trace does not explain.
    Unexplained,
    /// The replay of the unchanged run is too far off.
    Inexact,
    /// The host is done before the device has worked as long: where iterations follow one another, the window is not
    /// what an iteration takes.
    HostAhead,
  };
  Caution caution = Caution::None;
  friend bool operator==(const ReplayPrediction&, const ReplayPrediction&) = default;
};

/// As a clause; empty for `None`.
std::string_view text(ReplayPrediction::Caution caution);

/// Replays one run under scenarios.
class ReplayPredictor {
 public:
  /// All must outlive it. `schedule` is that of the model. Precondition: the cover is timed.
  ReplayPredictor(const schedule::RunModel& model, const schedule::RunSchedule& schedule, const ir::Cover& cover);

  /// The prediction is unknown if a replayed time could exceed `limits::kTimeNs`.
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
