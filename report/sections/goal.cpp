#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "passes/goal/goal_analysis.h"
#include "passes/manager/command_option.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using GoalRow = FactsRow<GoalAnalysis>;

struct SolutionRow {
  const GoalRow& of;
  const GoalSolution& solution;
};

/// The new time of the group, as `-what-if=` takes it.
std::string newTimeOf(const GoalChange& change) {
  return change.step == kFree ? "0" : formatThousandths(change.step) + "x";
}

/// The solution as `-what-if=` takes it.
std::string scenarioOf(const GoalAnalysis& facts, const GoalSolution& solution) {
  std::string text;
  for (const GoalChange& change : solution.changes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", facts.selectors[change.group], newTimeOf(change));
  return text;
}

constexpr auto kGoalSolutionFields = fields<SolutionRow>(
    field("factors", "by selector the speed-up, `2x` for twice as fast; `0`: the group costs nothing",
          [](auto& row) {
            std::vector<std::pair<std::string, std::string>> values;
            for (const GoalChange& change : row.solution.changes)
              values.emplace_back(row.of.facts.selectors[change.group], newTimeOf(change));
            return values;
          }),
    field("what_if", "the same as one text, as `-what-if=` takes it",
          [](auto& row) { return scenarioOf(row.of.facts, row.solution); }),
    field("busy_ns", "predicted, per iteration",
          [](auto& row) { return row.of.run.perIteration(row.solution.times.busyNs); }),
    field("wall_ns", "predicted, per iteration; null: unknown",
          [](auto& row) { return row.of.run.predicted(row.solution.times.wallNs); }),
    field("caution", "as in `what_if`", [](auto& row) { return nonEmpty(describe(row.solution.times.caution)); }));

constexpr auto kGoalFields = fields<GoalRow>(
    field("target_ns",
          "wall time per iteration that is wanted; busy time where wall "
          "is unknown",
          [](auto& row) { return static_cast<int64_t>(std::llrint(row.facts.targetNs)); }),
    field("wall_model", "as in `what_if`; null: wall is unknown",
          [](auto& row) { return wallModelName(row.facts.model); }),
    field("reachable", "whether the floor is at most the target",
          [](auto& row) { return row.facts.found.isReachable; }),
    field("floor_ns", "the same time if all groups cost nothing",
          [](auto& row) { return row.run.perIteration(row.facts.found.floor.limitNs()); }),
    objects<kGoalSolutionFields>("solutions", "the cheapest first; empty if none is needed, or none is enough",
                                 [](auto& row) { return rowsOf<SolutionRow>(row, row.facts.found.solutions); }),
    field("predictions", "how many the search made", [](auto& row) { return row.facts.predictions; }),
    field("complete", "false: the number of predictions ended the search",
          [](auto& row) { return !row.facts.found.isCut; }));

constexpr auto kGoalRunFields = fields<ReportRun>(object<kGoalFields>(
    "goal", "the speed-ups with which an iteration takes the time of `-goal=`; null without", kFactsRow<GoalAnalysis>));

std::string goalUs(double ns) { return formatUs(std::llrint(ns)) + " us"; }

/// What is left of a run of which all groups are free.
std::string describeFloor(const GoalRow& row) {
  const schedule::PredictedTimes& floor = row.facts.found.floor;
  const auto us = [&](int64_t totalNs) { return row.run.predictedUs(static_cast<double>(totalNs)) + " us"; };
  std::string text = fmt::format("floor {}", us(floor.limitNs()));
  if (!floor.wallNs || floor.limitNs() <= 0) return text;
  std::string parts;
  if (floor.busyNs > 0) parts += fmt::format("{} busy", us(floor.busyNs));
  if (*floor.wallNs > floor.busyNs)
    parts += fmt::format("{}{} idle", parts.empty() ? "" : ", ", us(*floor.wallNs - floor.busyNs));
  return text + fmt::format(" ({})", parts);
}

std::string describeGoal(const GoalRow& row) {
  const GoalAnalysis& facts = row.facts;
  if (facts.found.isMet)
    return fmt::format("already met: {} takes {}", schedule::info(facts.model).time, goalUs(facts.baseNs));
  if (!facts.found.isReachable) return fmt::format("out of reach; {}", describeFloor(row));
  std::string text;
  for (const GoalSolution& solution : facts.found.solutions)
    text += fmt::format("{}`{}`", text.empty() ? "" : "; or ", printable(scenarioOf(facts, solution)));
  if (text.empty()) text = "no solution was found";
  return text + "; " + describeFloor(row);
}

std::string goalDetails(const ReportRun& run) {
  const auto row = kFactsRow<GoalAnalysis>(run);
  if (!row) return {};
  const GoalAnalysis& facts = row->facts;
  std::string line = fmt::format("goal {} ({}): {}", goalUs(facts.targetNs), describe(facts.model), describeGoal(*row));
  const GoalFound& found = facts.found;
  const auto caution = found.solutions.empty() ? found.floor.caution : found.solutions.front().times.caution;
  if (!found.isMet && caution != schedule::Caution::None) line += fmt::format("; {}", describe(caution));
  if (found.isCut)
    line += fmt::format("; after {} predictions the search ended{}", facts.predictions,
                        found.isCutToSingles ? ", and only single changes were tried" : "");
  return line + "\n";
}

std::vector<std::string> goalAnswers(const ReportRun& run) {
  const auto row = kFactsRow<GoalAnalysis>(run);
  if (!row) return {};
  const GoalFound& found = row->facts.found;
  const std::string time = timeOfAnswer(run, row->facts.model);
  std::string text = fmt::format("goal: {} of {}, ", time, formatReadable(std::llrint(row->facts.targetNs)));
  if (found.isMet) {
    text += fmt::format("already met, it is {}", formatReadable(std::llrint(row->facts.baseNs)));
  } else if (!found.isReachable) {
    text += fmt::format("out of reach; {} remain if all that may change takes no time",
                        formatReadable(run.perIteration(found.floor.limitNs())));
  } else if (found.solutions.empty()) {
    text += "no solution was found";
  } else {
    text += fmt::format("reached by `-what-if={}`", printable(scenarioOf(row->facts, found.solutions.front())));
    if (found.solutions.size() > 1) text += fmt::format(", and in {}", plural(found.solutions.size() - 1, "other way"));
  }
  return {std::move(text)};
}

}  // namespace

constinit const ReportSection kGoalSection{.runFields = kGoalRunFields, .answers = goalAnswers, .details = goalDetails};

}  // namespace amdahlc
