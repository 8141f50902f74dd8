#include "passes/goal/goal_analysis.h"

#include <utility>

#include "ir/facets/timed.h"
#include "passes/speedup_rewrite/scenario_predictions.h"

namespace amdahlc {

namespace {

/// Of groups that nobody named. With all of them free, the floor is that of the device.
constexpr size_t kMostLabels = 64;

}  // namespace

GoalAnalysis::GoalAnalysis(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const Options& options = analyses.options<GoalAnalysis>();
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, id);
  const auto named = options.groups.find(id);
  const std::vector<TimedGroup> groups =
      named != options.groups.end() ? named->second : groupsByLabel(module, runs, index, kMostLabels);
  const auto& predictor = analyses.get<RunPredictor>(id);
  const GroupTimesPredictor times(predictor.times(), predictor.run(), groups);
  const int64_t iterations = module.cover(id).facets.get<ir::TimedFacet>()->run.reportedIterations();
  model = times.model();
  baseNs = static_cast<double>(times.timesUnder({}).limitNs()) / static_cast<double>(iterations);
  targetNs = options.target.ns ? static_cast<double>(*options.target.ns)
                               : goalTargetNs(*options.target.times, baseNs, iterations);
  for (const TimedGroup& group : groups) selectors.push_back(group.selector);
  const auto progress = [&](double fraction) {
    if (analyses.progress) analyses.progress("goal", fraction);
  };
  found = findGoal(times, iterations, targetNs, mostGoalPredictions(times), progress);
  predictions = times.predictions();
}

}  // namespace amdahlc
