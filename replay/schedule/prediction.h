/// Predicts the times of a run under changes: the one place where they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/schedule/changes.h"
#include "replay/schedule/one_thread.h"
#include "replay/schedule/replay.h"
#include "replay/schedule/run_schedule.h"

namespace amdahlc::schedule {

/// How wall time is predicted.
enum class WallModel : uint8_t {
  /// Idle time stays, and wall time changes as busy time does.
  IdleConstant,
  /// The run is replayed.
  Replay,
  /// It is not: the trace has no starts, and busy time is all that is known.
  Unknown,
};
struct WallModelInfo {
  WallModel model;
  /// The time that is predicted: `wall` or `busy`.
  std::string_view time;
  /// How, or why no other: `replayed`, `idle kept`, `because wall is unknown`.
  std::string_view how;
};
const WallModelInfo& info(WallModel model);
/// Both: `wall, replayed`.
std::string describe(WallModel model);

/// Why a prediction is worth little.
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
  /// Most of the run waits for what was launched before the recording.
  BeforeRecording,
};
/// As a clause; empty for `None`.
std::string_view describe(Caution caution);
/// Whether it is about the run, and so about each of its predictions.
inline bool isOfRun(Caution caution) {
  return caution == Caution::Unexplained || caution == Caution::Inexact || caution == Caution::BeforeRecording;
}

/// Wall time if busy time changes to `newBusyNs`: it changes by as much, because idle time is assumed to stay.
template <typename Ns>
Ns wallWithBusy(Ns wallNs, Ns busyNs, Ns newBusyNs) {
  return wallNs - (busyNs - newBusyNs);
}

/// Times over the reported iterations.
struct PredictedTimes {
  WallModel model = WallModel::Unknown;
  int64_t busyNs = 0;
  std::optional<int64_t> wallNs;
  /// nullopt also if the measured window is not known, and if neither a replay tells how it changes, nor one thread
  /// that does all.
  std::optional<int64_t> windowNs;
  Caution caution = Caution::None;

  /// Wall time, or busy time of a run without it.
  int64_t limitNs() const { return wallNs ? *wallNs : busyNs; }
  friend bool operator==(const PredictedTimes&, const PredictedTimes&) = default;
};

/// By replay: measured + (replay of the changes - replay of the unchanged run). Iterations may overlap in a replay;
/// that time counts once. Changes that make nothing slower delay nothing, and those that make nothing faster save
/// nothing: what a reported iteration gains or loses otherwise, an iteration before it that is not reported lost or
/// gained, and it is not predicted.
///
/// By arithmetic: `busyTime`, and wall time changes by as much. Each event has besides the factor to its undisturbed
/// time, so that a prediction does not start from what disturbed the run. Of a run that has one thread and no device,
/// changes of the host's time are known, too: what they take off the time between operators, they take off wall time
/// and the window.
class Predictor {
 public:
  /// All must outlive it. `undisturbed` has a factor by event, as `undisturbedFactors` finds it. Replays the run if it
  /// has a model and a schedule; `oneThread` is of a run that it does not replay.
  Predictor(const Timeline& timeline, std::vector<Rational> undisturbed, const RunModel* model = nullptr,
            const RunSchedule* schedule = nullptr, const OneThread* oneThread = nullptr);

  const Timeline& timeline() const { return timeline_; }
  WallModel model() const { return measured_.model; }
  /// The times from which predictions start: of a run that is replayed as measured, else the undisturbed ones.
  PredictedTimes base(bool keepsIdle = false) const {
    return isReplayed(keepsIdle) ? measured_ : withIdleKept(undisturbedBusyNs_);
  }
  const std::vector<Rational>& undisturbed() const { return undisturbed_; }
  /// With `keepsIdle` by arithmetic, also of a run that it replays. nullopt if a time could exceed `limits::kTimeNs`.
  std::optional<PredictedTimes> predict(const Changes& changes, bool keepsIdle = false) const;
  /// If the host took no time, as the schedule has replayed it. Precondition: it replays the run.
  PredictedTimes withoutHost() const;
  /// By arithmetic, with this busy time.
  PredictedTimes withIdleKept(int64_t busyNs) const;
  /// Events and calls that a prediction walks over.
  size_t size() const;

  /// Whether the measured run and its replay are the same.
  friend bool operator==(const Predictor& a, const Predictor& b) {
    return a.measured_ == b.measured_ && a.undisturbed_ == b.undisturbed_ && a.unchanged_ == b.unchanged_ &&
           a.measuredWindowNs_ == b.measuredWindowNs_;
  }

 private:
  /// What changes may make of a time.
  struct Directions;
  bool isReplayed(bool keepsIdle) const { return measured_.model == WallModel::Replay && !keepsIdle; }
  void measure();
  /// The window of a run of one thread if its wall time becomes so long, and what is not in wall time stays. nullopt if
  /// the measured window is not known. Precondition: wall time is known.
  std::optional<int64_t> windowWithWall(int64_t wallNs) const;
  void findLongest();
  PredictedTimes timesOf(const ReplayedTimes& scenario, const Directions& directions) const;
  /// Whether no time exceeds the limit if nothing takes longer than its measured time by more than a factor.
  bool fits(const Changes& changes, bool isReplayed) const;

  const Timeline& timeline_;
  const std::vector<Rational> undisturbed_;
  const RunModel* const model_;
  const RunSchedule* const schedule_;
  const OneThread* const oneThread_;
  PredictedTimes measured_;
  /// Of a run with one thread.
  std::optional<int64_t> measuredWindowNs_;
  int64_t undisturbedBusyNs_ = 0;
  ReplayedTimes unchanged_;
  /// The time in which any reported iteration was under way.
  int64_t measuredExtentNs_ = 0;
  /// No chain of causes in a run that is replayed takes longer.
  __int128 longestNs_ = 0;
};

}  // namespace amdahlc::schedule
