// Before: kernels have times, and 8 ms are wanted.   After: a run has the speed-ups with which it takes 8 ms.
//
//   wall 10 ms                                        linear 1.818x
//                                                     sdpa 3x and host 1.2x
//                                                     floor 5.1 ms
//
// A goal below the floor has no solution, and the floor is told.

#include "passes/goal/goal_pass.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/curves/timed_groups.h"
#include "passes/goal/goal_facet.h"
#include "passes/goal/goal_search.h"
#include "passes/goal/report_goal.h"

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

GoalPass::GoalPass()
    : solutions_(statistic("solutions", "over all runs")), predictions_(statistic("predictions", "times predicted")) {
  runsByDefault(DefaultUse::IfAskedFor);
  needsInput(PassInput::Trace);
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::Goal);
  timeGoal("target", "Set the time that an iteration is to take, or how many times as fast it is to be.", target_);
  list("groups",
       {"Name what may become faster to reach the goal.",
        "Selectors are those of `-what-if=`. Without any it is all labels with time, `launches` and `host`."},
       selectors_);
  addsCommandOption(
      {.name = "goal",
       .argument = "time or factor",
       .summary = "Find the smallest speed-ups that reach a time of an iteration.",
       .details =
           "The goal is a time (`8ms`), or how many times as fast (`1.5x`). `-passes='default<goal.groups=sdpa>'` "
           "limits what may become faster.",
       .once = true,
       .sets = "target",
       .asksForPass = true});
  hasOldSpelling("goal-group", "groups");
  reports(goalSection());
}

PassResult GoalPass::run(ir::Module& module, PassContext& context) {
  if (!target_) {
    const PassOption& groups = *findOption("groups");
    context.diagnostics.error(DiagId::PipelineMissingInput, groups.place ? Location(*groups.place) : Location(),
                              "pass `goal` needs a goal; give one with `-goal=8ms` or `-goal=1.5x`");
    return PassResult::failed();
  }
  const std::vector<PredictedRun> runs = predictedRuns(module, context);
  auto named = groupsOf(module, selectorTexts(selectors_, *findOption("groups")), runs, context);
  if (!named) return PassResult::failed();
  bool changed = !module.has(ir::Facet::Goal);
  for (size_t i = 0; i < runs.size(); ++i) {
    ir::Cover& cover = module.cover(runs[i].cover);
    const std::vector<TimedGroup> groups =
        selectors_.empty() ? groupsByLabel(module, runs, i, kMostLabels) : std::move((*named)[i]);
    const GroupTimesPredictor times(module, runs[i], groups);
    const int64_t iterations = std::max<int64_t>(1, cover.facets.get<ir::TimedFacet>()->run.iterations);
    const GroupTimes measured = times.timesUnder({});
    GoalFacet facts;
    facts.isReplayed = times.isReplayed();
    facts.isWall = measured.wallNs.has_value();
    facts.measuredNs = measured.limitNs() / static_cast<double>(iterations);
    facts.targetNs = targetOf(*target_, facts.measuredNs, iterations);
    for (const TimedGroup& group : groups) facts.selectors.push_back(group.selector);
    // With idle time kept a prediction walks over few sets of groups.
    const size_t affordable = times.isReplayed() ? kMostPredictedSize / (times.size() + 1) : kMostPredictions;
    const auto most =
        std::min<int64_t>(kMostPredictions, static_cast<int64_t>(std::max(kLeastPredictions, affordable)));
    facts.found = GoalSearch(times, iterations, facts.targetNs, most).search();
    facts.predictions = times.predictions();
    predictions_ += facts.predictions;
    solutions_ += static_cast<int64_t>(facts.found.solutions.size());
    changed |= cover.facets.replace(std::move(facts));
  }
  module.establish(ir::Facet::Goal);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
