#include "passes/goal/goal_analysis.h"

#include <algorithm>
#include <cmath>

#include "ir/facets/timed.h"

namespace amdahlc {
namespace {

/// Of groups that nobody named. With all of them free, the floor is that of the device.
constexpr size_t kMostLabels = 64;
constexpr int64_t kMostPredictions = 2'000;
/// Events and calls that all predictions may walk over, together: some ten seconds.
constexpr size_t kMostPredictedSize = 150'000'000;
/// Enough for the floor and a few single groups.
constexpr size_t kLeastPredictions = 100;

/// Per iteration. The time of all of them is a whole number, as predicted times are.
double targetOf(const TimeGoal& goal, double measuredNs, int64_t iterations) {
  if (goal.ns) return static_cast<double>(*goal.ns);
  const double totalNs = measuredNs * static_cast<double>(goal.times->denominator) /
                         static_cast<double>(goal.times->numerator) * static_cast<double>(iterations);
  return std::round(totalNs) / static_cast<double>(iterations);
}

}  // namespace

GoalAnalysis::GoalAnalysis(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const Options& options = analyses.options<GoalAnalysis>();
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, id);
  const auto named = options.groups.find(id);
  const std::vector<TimedGroup> groups =
      named != options.groups.end() ? named->second : groupsByLabel(module, runs, index, kMostLabels);
  const GroupTimesPredictor times(analyses.get<RunPredictor>(id), groups);
  const int64_t iterations = std::max<int64_t>(1, module.cover(id).facets.get<ir::TimedFacet>()->run.iterations);
  model = times.model();
  measuredNs = static_cast<double>(times.timesUnder({}).limitNs()) / static_cast<double>(iterations);
  targetNs = targetOf(options.target, measuredNs, iterations);
  for (const TimedGroup& group : groups) selectors.push_back(group.selector);
  // With idle time kept a prediction walks over few sets of groups.
  const size_t affordable =
      model == schedule::WallModel::Replay ? kMostPredictedSize / (times.size() + 1) : kMostPredictions;
  const auto most = std::min<int64_t>(kMostPredictions, static_cast<int64_t>(std::max(kLeastPredictions, affordable)));
  const auto progress = [&](double fraction) {
    if (analyses.progress) analyses.progress("goal", fraction);
  };
  found = GoalSearch(times, iterations, targetNs, most, progress).search();
  predictions = times.predictions();
}

}  // namespace amdahlc
