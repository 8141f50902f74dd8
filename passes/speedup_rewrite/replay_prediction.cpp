#include "passes/speedup_rewrite/replay_prediction.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/timing/timing_analysis.h"
#include "support/limits.h"
#include "timeline/interval.h"

namespace amdahlc {
namespace {

/// Whether a factor makes something faster, and whether one makes something slower.
struct Directions {
  bool faster = false, slower = false;
  void add(const Rational& factor) {
    faster |= factor < Rational::of(1);
    slower |= Rational::of(1) < factor;
  }
};

/// A predicted time that agrees with the directions of the changes.
int64_t bounded(int64_t predictedNs, int64_t measuredNs, const Directions& directions) {
  if (!directions.slower) predictedNs = std::min(predictedNs, measuredNs);
  if (!directions.faster) predictedNs = std::max(predictedNs, measuredNs);
  // The difference of two replays is exact where a measured time is not: no time falls below 0.
  return std::max<int64_t>(0, predictedNs);
}

}  // namespace

std::string_view text(ReplayPrediction::Caution caution) {
  switch (caution) {
    case ReplayPrediction::Caution::None:
      return {};
    case ReplayPrediction::Caution::WithinError:
      return "the change is smaller than the error of the replay";
    case ReplayPrediction::Caution::Unexplained:
      return "more than 5 % of wall are waits that the trace does not explain";
    case ReplayPrediction::Caution::Inexact:
      return "the replay of the unchanged run is more than 5 % off";
    case ReplayPrediction::Caution::HostAhead:
      return "the host no longer waits for the device: in a loop, an iteration takes at least the busy time, not the "
             "window";
  }
  return {};
}

ReplayPredictor::ReplayPredictor(const schedule::RunModel& model, const schedule::RunSchedule& schedule,
                                 const ir::Cover& cover)
    : model_(model), timeline_(model.calls.timeline()), schedule_(schedule), owners_(eventOwners(timeline_, cover)) {
  const ir::RunTimes& timed = cover.facets.get<ir::TimedFacet>()->run;
  for (const int64_t ns : timed.busyNs) measured_.busyNs += ns;
  measured_.wallNs = schedule_.wallNs;
  std::vector<TimeInterval> extents;
  for (size_t i = 0; i < timeline_.iterations.size(); ++i) {
    if (!timeline_.iterations[i].selected() || model.eventsOfIterations[i].empty()) continue;
    TimeInterval extent{INT64_MAX, INT64_MIN};
    for (const EventIndex event : model.eventsOfIterations[i]) {
      extent.startNs = std::min(extent.startNs, timeline_.startNs[event]);
      extent.endNs = std::max(extent.endNs, timeline_.endNs(event));
    }
    extents.push_back(extent);
  }
  measuredExtentNs_ = unionLength(std::move(extents));
  measured_.windowNs = schedule_.windowNs;
  int64_t firstNs = INT64_MAX, lastNs = INT64_MIN;
  const auto extend = [&](int64_t startNs, int64_t endNs) {
    firstNs = std::min(firstNs, startNs);
    lastNs = std::max(lastNs, endNs);
  };
  for (EventIndex event = 0; event < timeline_.size(); ++event) {
    extend(timeline_.startNs[event], timeline_.endNs(event));
    longestNs_ += timeline_.durationNs[event];
  }
  const HostFacts& host = model.calls.host();
  for (const HostEventId event : host.kind.ids()) extend(host.startNs[event], host.endNs(event));
  // Pieces of the host's time in a chain do not overlap; the usual delays are shorter than the run.
  if (lastNs > firstNs) longestNs_ += 2 * (static_cast<__int128>(lastNs) - firstNs);
  unchanged_ = timesOf(schedule::replay(model));
}

ReplayPredictor::Times ReplayPredictor::timesOf(const schedule::ReplayedRun& run) const {
  Times times;
  std::vector<TimeInterval> intervals;
  for (size_t i = 0; i < timeline_.iterations.size(); ++i) {
    if (!timeline_.iterations[i].selected()) continue;
    for (const EventIndex event : model_.eventsOfIterations[i])
      intervals.push_back({run.startNs[event], run.endNs[event]});
    if (times.windowNs && run.iterations[i].windowNs)
      *times.windowNs += *run.iterations[i].windowNs;
    else
      times.windowNs.reset();
  }
  times.busyNs = unionLength(std::move(intervals));
  times.wallNs = schedule::selectedWallNs(timeline_, run);
  return times;
}

int64_t ReplayPredictor::inSums(int64_t extentNs) const {
  if (measuredExtentNs_ <= 0 || measuredExtentNs_ == measured_.wallNs) return extentNs;
  return static_cast<int64_t>(static_cast<__int128>(extentNs) * measured_.wallNs / measuredExtentNs_);
}

bool ReplayPredictor::fits(const schedule::Changes& changes) const {
  // Factors of a call multiply.
  double largest = std::max(1.0, changes.host.toDouble());
  for (const schedule::HostStretch& stretch : changes.stretches) largest = std::max(largest, stretch.factor.toDouble());
  for (const auto& [name, factor] : changes.operators) largest = std::max(largest, factor.toDouble());
  largest *= std::max(1.0, changes.launches.toDouble());
  for (const Rational& factor : changes.events) largest = std::max(largest, factor.toDouble());
  return largest == 1 || static_cast<double>(longestNs_) * largest <= static_cast<double>(limits::kTimeNs);
}

ReplayPrediction ReplayPredictor::predict(const RunChanges& asked) const {
  schedule::Changes changes = asked.other;
  changes.events = eventFactors(owners_, asked.device);
  if (!fits(changes)) {
    ReplayPrediction unknown;
    unknown.isKnown = false;
    return unknown;
  }
  const Times scenario = timesOf(schedule::replay(model_, changes));
  Directions directions;
  for (const Rational& factor : changes.events) directions.add(factor);
  for (const schedule::HostStretch& stretch : changes.stretches) directions.add(stretch.factor);
  for (const auto& [name, factor] : changes.operators) directions.add(factor);
  directions.add(changes.host);
  directions.add(changes.launches);
  directions.faster |= !changes.removed.empty() || changes.mayDelay;
  directions.slower |= changes.mayDelay;
  ReplayPrediction prediction;
  // Less overlap makes the device busy for longer, though nothing runs for longer.
  prediction.busyNs = std::max<int64_t>(0, measured_.busyNs + scenario.busyNs - unchanged_.busyNs);
  // The replay may be off by more than the device rests, and lengths of events are known better than waits.
  const int64_t wallNs = std::max(measured_.wallNs + inSums(scenario.wallNs - unchanged_.wallNs), prediction.busyNs);
  prediction.wallNs = bounded(wallNs, measured_.wallNs, directions);
  prediction.busyNs = std::min(prediction.busyNs, prediction.wallNs);
  if (measured_.windowNs && scenario.windowNs && unchanged_.windowNs)
    prediction.windowNs =
        bounded(*measured_.windowNs + *scenario.windowNs - *unchanged_.windowNs, *measured_.windowNs, directions);
  if (schedule_.isUnexplained())
    prediction.caution = ReplayPrediction::Caution::Unexplained;
  else if (schedule_.isInexact())
    prediction.caution = ReplayPrediction::Caution::Inexact;
  else if (std::abs(prediction.wallNs - measured_.wallNs) < schedule_.strictErrorNs())
    prediction.caution = ReplayPrediction::Caution::WithinError;
  else if (prediction.windowNs && *prediction.windowNs < prediction.busyNs && measured_.busyNs <= *measured_.windowNs)
    prediction.caution = ReplayPrediction::Caution::HostAhead;
  return prediction;
}

}  // namespace amdahlc
