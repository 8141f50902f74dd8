#include "passes/curves/group_effects.h"

#include <algorithm>
#include <tuple>

#include "passes/speedup_rewrite/scenario_predictions.h"

namespace amdahlc {
namespace {

/// Further labels have little time, and a picture of them all has no end.
constexpr size_t kMostLabels = 40;

}  // namespace

GroupEffects::GroupEffects(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const std::vector<TimedGroup> known = groupsByLabel(module, runs, indexOfRun(runs, id), kMostLabels);
  const auto& predictor = analyses.get<RunPredictor>(id);
  const GroupTimesPredictor times(predictor.times(), predictor.run(), known);
  base = times.timesUnder({});
  for (size_t group = 0; group < known.size(); ++group) {
    const auto timesAt = [&](Rational factor) {
      const GroupFactor change{group, factor};
      return times.timesUnder({&change, 1});
    };
    groups.push_back({known[group].selector, timesAt({1, 2}), timesAt({0, 1})});
  }
  std::ranges::stable_sort(
      groups, {}, [](const GroupEffect& effect) { return std::tuple(effect.free.limitNs(), effect.twice.limitNs()); });
}

}  // namespace amdahlc
