#include "replay/schedule/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "replay/schedule/busy_time.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "support/limits.h"
#include "support/statistics.h"

namespace amdahlc::schedule {

/// Whether a factor makes something faster, and whether one makes something slower.
struct Predictor::Directions {
  bool faster = false, slower = false;

  explicit Directions(bool isFaster) : faster(isFaster) {}
  explicit Directions(const Changes& changes) {
    for (const Rational& factor : changes.events) add(factor);
    for (const HostStretch& stretch : changes.stretches) add(stretch.factor);
    for (const auto& [name, factor] : changes.named) add(factor);
    add(changes.host);
    add(changes.launches);
    faster |= !changes.removed.empty() || !changes.unmade.empty() || changes.mayDelay;
    slower |= changes.mayDelay;
  }
  void add(const Rational& factor) {
    faster |= factor.numerator < factor.denominator;
    slower |= factor.numerator > factor.denominator;
  }
  /// A predicted time that agrees with them. The difference of two replays is exact where a measured time is not: no
  /// time falls below 0.
  int64_t bounded(int64_t predictedNs, int64_t measuredNs) const {
    if (!slower) predictedNs = std::min(predictedNs, measuredNs);
    if (!faster) predictedNs = std::max(predictedNs, measuredNs);
    return std::max<int64_t>(0, predictedNs);
  }
};

const WallModelInfo& info(WallModel model) {
  using enum WallModel;
  static constexpr WallModelInfo kModels[] = {
      {IdleConstant, "wall", "idle kept"}, {Replay, "wall", "replayed"}, {Unknown, "busy", "because wall is unknown"}};
  return *std::ranges::find(kModels, model, &WallModelInfo::model);
}

std::string describe(WallModel model) { return fmt::format("{}, {}", info(model).time, info(model).how); }

std::string_view describe(Caution caution) {
  // In the order of the enumeration.
  static constexpr std::string_view kTexts[] = {
      "",
      "the change is smaller than the error of the replay",
      "more than 5 % of wall are waits that the trace does not explain",
      "the replay of the unchanged run is more than 5 % off",
      ("the host no longer waits for the device: in a loop, an iteration takes at least the busy time, not the "
       "window"),
      ("most of wall is waiting for work that was launched before the recording: the prediction says little of other "
       "iterations"),
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(Caution::BeforeRecording) + 1);
  return kTexts[static_cast<size_t>(caution)];
}

Predictor::Predictor(const Timeline& timeline, std::vector<Rational> undisturbed, const RunModel* model,
                     const RunSchedule* schedule, const OneThread* oneThread)
    : timeline_(timeline),
      undisturbed_(std::move(undisturbed)),
      model_(model),
      schedule_(schedule),
      oneThread_(oneThread) {
  measure();
  if (measured_.model != WallModel::Replay) return;
  findLongest();
  unchanged_ = schedule_->unchanged;
}

void Predictor::measure() {
  const bool isReplayed = model_ != nullptr && schedule_ != nullptr;
  measured_.model = isReplayed ? WallModel::Replay : timeline_.hasStarts ? WallModel::IdleConstant : WallModel::Unknown;
  const ReportedIterations reported(timeline_);
  const std::vector<IterationTimes> times = reported.of(iterationTimes(timeline_));
  for (const IterationTimes& one : times) measured_.busyNs += one.busyNs;
  if (const auto walls = wallsOf(times); walls && timeline_.hasStarts) measured_.wallNs = sum(*walls);
  undisturbedBusyNs_ = busyTime(timeline_, undisturbed_).rounded();
  measuredExtentNs_ = unionLength(iterationExtents(timeline_, reported));
  if (isReplayed) measured_.windowNs = schedule_->windowNs;
  if (oneThread_ == nullptr) return;
  if (const auto windows = windowsOf(times)) measuredWindowNs_ = sum(*windows);
}

void Predictor::findLongest() {
  std::optional<TimeInterval> extent;
  for (EventIndex event = 0; event < timeline_.size(); ++event) {
    extend(extent, timeline_.interval(event));
    longestNs_ += timeline_.durationNs[event];
  }
  const HostFacts& host = model_->calls.host();
  for (const HostEventId event : host.kind.ids()) extend(extent, host.interval(event));
  // Pieces of the host's time in a chain do not overlap; the usual delays are shorter than the run.
  if (extent) longestNs_ += 2 * (static_cast<__int128>(extent->endNs) - extent->startNs);
}

bool Predictor::fits(const Changes& changes, bool isReplayed) const {
  // Factors of a call multiply, and so do those of an operator and of the function around it.
  double largest = std::max(1.0, changes.host.toDouble());
  for (const HostStretch& stretch : changes.stretches) largest = std::max(largest, stretch.factor.toDouble());
  for (const auto& [name, factor] : changes.named) largest = std::max(largest, factor.toDouble());
  largest *= std::max(1.0, changes.launches.toDouble());
  const double ofHost = isReplayed || oneThread_ != nullptr ? largest : 1;
  largest = isReplayed ? largest : 1;
  for (const Rational& factor : changes.events) largest = std::max(largest, factor.toDouble());
  if (!isReplayed) largest *= ofHost;
  const __int128 longestNs =
      isReplayed
          ? longestNs_
          : std::max(
                {measured_.busyNs, undisturbedBusyNs_,
                 oneThread_ != nullptr ? std::max(measured_.wallNs.value_or(0), measuredWindowNs_.value_or(0)) : 0});
  return largest == 1 || static_cast<double>(longestNs) * largest <= static_cast<double>(limits::kTimeNs);
}

PredictedTimes Predictor::withIdleKept(int64_t busyNs) const {
  PredictedTimes times;
  times.model = measured_.wallNs ? WallModel::IdleConstant : WallModel::Unknown;
  times.busyNs = busyNs;
  if (!measured_.wallNs) return times;
  times.wallNs = wallWithBusy(*measured_.wallNs, measured_.busyNs, busyNs);
  times.windowNs = windowWithWall(*times.wallNs);
  return times;
}

std::optional<int64_t> Predictor::windowWithWall(int64_t wallNs) const {
  if (!measuredWindowNs_) return std::nullopt;
  return std::max<int64_t>(0, *measuredWindowNs_ - (*measured_.wallNs - wallNs));
}

std::optional<PredictedTimes> Predictor::predict(const Changes& changes, bool keepsIdle) const {
  if (!fits(changes, isReplayed(keepsIdle))) return std::nullopt;
  if (!isReplayed(keepsIdle)) {
    std::vector<Rational> factors = undisturbed_;
    for (size_t event = 0; event < changes.events.size(); ++event)
      factors[event] = factors[event] * changes.events[event];
    if (oneThread_ == nullptr ||
        (changes.named.empty() && changes.stretches.empty() && changes.host == Rational::of(1)))
      return withIdleKept(busyTime(timeline_, factors).rounded());
    const OneThread::Changed changed = oneThread_->changed(changes);
    for (size_t event = 0; event < factors.size(); ++event) factors[event] = factors[event] * changed.events[event];
    PredictedTimes times = withIdleKept(busyTime(timeline_, factors).rounded());
    times.windowNs = windowWithWall(*times.wallNs - changed.windowSavedNs);
    times.wallNs = std::max(times.busyNs, *times.wallNs - changed.wallSavedNs);
    return times;
  }
  return timesOf(replayedTimes(*model_, replay(*model_, changes)), Directions(changes));
}

PredictedTimes Predictor::withoutHost() const { return timesOf(schedule_->withoutHost, Directions(true)); }

PredictedTimes Predictor::timesOf(const ReplayedTimes& scenario, const Directions& directions) const {
  PredictedTimes times;
  times.model = WallModel::Replay;
  // Less overlap makes the device busy for longer, though nothing runs for longer.
  times.busyNs =
      scenario.busyNs == 0 ? 0 : std::max<int64_t>(0, measured_.busyNs + scenario.busyNs - unchanged_.busyNs);
  // A host that runs ahead lets iterations overlap, and such a time is in several walls.
  const int64_t measuredWallNs = *measured_.wallNs;
  int64_t addedNs = scenario.extentNs - unchanged_.extentNs;
  if (measuredExtentNs_ > 0 && measuredExtentNs_ != measuredWallNs)
    addedNs = static_cast<int64_t>(static_cast<__int128>(addedNs) * measuredWallNs / measuredExtentNs_);
  // The replay may be off by more than the device rests, and lengths of events are known better than waits.
  times.wallNs = directions.bounded(std::max(measuredWallNs + addedNs, times.busyNs), measuredWallNs);
  times.busyNs = std::min(times.busyNs, *times.wallNs);
  if (measured_.windowNs && scenario.windowNs && unchanged_.windowNs)
    times.windowNs =
        directions.bounded(*measured_.windowNs + *scenario.windowNs - *unchanged_.windowNs, *measured_.windowNs);
  if (schedule_->isUnexplained())
    times.caution = Caution::Unexplained;
  else if (schedule_->isInexact())
    times.caution = Caution::Inexact;
  else if (schedule_->isMostlyBefore())
    times.caution = Caution::BeforeRecording;
  else if (std::abs(*times.wallNs - measuredWallNs) < schedule_->strictErrorNs())
    times.caution = Caution::WithinError;
  else if (times.windowNs && *times.windowNs < times.busyNs && measured_.busyNs <= *measured_.windowNs)
    times.caution = Caution::HostAhead;
  return times;
}

size_t Predictor::size() const {
  return timeline_.size() + (measured_.model == WallModel::Replay ? model_->calls.calls().size() : 0);
}

}  // namespace amdahlc::schedule
