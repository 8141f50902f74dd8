#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "passes/goal/goal_analysis.h"
#include "passes/manager/command_option.h"
#include "report/sections.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

struct GoalRow {
  const GoalAnalysis& facts;
  double iterations;
};

struct SolutionRow {
  const GoalRow& of;
  const GoalSolution& solution;
};

constexpr auto kGoalSolutionFields = fields(
    field("factors", "new / old time by selector, a fraction",
          [](const SolutionRow& row) {
            std::vector<std::pair<std::string, std::string>> values;
            for (const GoalChange& change : row.solution.changes)
              values.emplace_back(row.of.facts.selectors[change.group], factorOf(change.step).toString());
            return values;
          }),
    field("busy_ns", "predicted, per iteration",
          [](const SolutionRow& row) { return predictedPerIteration(row.solution.times.busyNs, row.of.iterations); }),
    field("wall_ns", "predicted, per iteration; null: unknown",
          [](const SolutionRow& row) { return predictedPerIteration(row.solution.times.wallNs, row.of.iterations); }),
    field("caution", "as in `what_if`",
          [](const SolutionRow& row) { return nonEmpty(text(row.solution.times.caution)); }));

constexpr auto kGoalFields = fields(
    field("target_ns",
          "wall time per iteration that is wanted; busy time where wall "
          "is unknown",
          [](const GoalRow& row) { return PredictedNs{row.facts.targetNs}; }),
    field("wall_model", "as in `what_if`; null: wall is unknown",
          [](const GoalRow& row) -> std::optional<WallModelName> {
            if (!row.facts.isWall) return std::nullopt;
            return WallModelName{row.facts.isReplayed ? "replay" : "idle-constant"};
          }),
    field("reachable", "whether the floor is at most the target",
          [](const GoalRow& row) { return row.facts.found.isReachable; }),
    field("floor_ns", "the same time if all groups cost nothing",
          [](const GoalRow& row) { return predictedPerIteration(row.facts.found.floor.limitNs(), row.iterations); }),
    objects<kGoalSolutionFields>("solutions", "the cheapest first; empty if none is needed, or none is enough",
                                 [](const GoalRow& row) {
                                   std::vector<SolutionRow> rows;
                                   for (const GoalSolution& solution : row.facts.found.solutions)
                                     rows.push_back({row, solution});
                                   return rows;
                                 }),
    field("predictions", "how many the search made", [](const GoalRow& row) { return row.facts.predictions; }),
    field("complete", "false: the number of predictions ended the search",
          [](const GoalRow& row) { return !row.facts.found.isCut; }));

constexpr auto kGoalRunFields = fields(object<kGoalFields>(
    "goal", "the speed-ups with which an iteration takes the time of `-goal=`; null without",
    [](const ReportRun& run) -> std::optional<GoalRow> {
      const auto* facts = run.facts<GoalAnalysis>();
      if (facts == nullptr) return std::nullopt;
      return std::optional<GoalRow>({*facts, static_cast<double>(std::max<int64_t>(1, run.iterations))});
    }));

/// Nanoseconds with fractions as microseconds.
std::string goalUs(double ns) { return fmt::format("{:.3f} us", ns / 1e3); }

std::string changesText(const GoalAnalysis& facts, const GoalSolution& solution) {
  std::string text;
  for (const GoalChange& change : solution.changes)
    text += fmt::format("{}`{}` {}", text.empty() ? "" : " with ", printable(facts.selectors[change.group]),
                        change.step == kFree ? "free" : formatThousandths(change.step) + "x");
  return text;
}

/// What is left of a run of which all groups are free.
std::string floorText(const GoalRow& row) {
  const GroupTimes& floor = row.facts.found.floor;
  std::string text = fmt::format("floor {}", goalUs(floor.limitNs() / row.iterations));
  if (!floor.wallNs || floor.limitNs() <= 0) return text;
  std::string parts;
  if (floor.busyNs > 0) parts += fmt::format("{} busy", goalUs(floor.busyNs / row.iterations));
  if (*floor.wallNs > floor.busyNs)
    parts +=
        fmt::format("{}{} idle", parts.empty() ? "" : ", ", goalUs((*floor.wallNs - floor.busyNs) / row.iterations));
  return text + fmt::format(" ({})", parts);
}

std::string goalText(const GoalRow& row) {
  const GoalAnalysis& facts = row.facts;
  if (facts.found.isMet)
    return fmt::format("already met: {} takes {}", facts.isWall ? "wall" : "busy", goalUs(facts.measuredNs));
  if (!facts.found.isReachable) return fmt::format("out of reach; {}", floorText(row));
  std::string text;
  for (const GoalSolution& solution : facts.found.solutions)
    text += (text.empty() ? "" : "; or ") + changesText(facts, solution);
  if (text.empty()) text = "no solution was found";
  return text + "; " + floorText(row);
}

std::string goalDetails(const ReportRun& run) {
  const auto* facts = run.facts<GoalAnalysis>();
  if (facts == nullptr) return {};
  const GoalRow row{*facts, static_cast<double>(std::max<int64_t>(1, run.iterations))};
  std::string line = fmt::format("goal {} ({}): {}", goalUs(facts->targetNs),
                                 !facts->isWall      ? "busy, because wall is unknown"
                                 : facts->isReplayed ? "wall, replayed"
                                                     : "wall, idle kept",
                                 goalText(row));
  const GoalFound& found = facts->found;
  const auto caution = found.solutions.empty() ? found.floor.caution : found.solutions.front().times.caution;
  if (!found.isMet && caution != ReplayPrediction::Caution::None) line += fmt::format("; {}", text(caution));
  if (found.isCut)
    line += fmt::format("; after {} predictions the search ended{}", facts->predictions,
                        found.isCutToSingles ? ", and only single changes were tried" : "");
  return line + "\n";
}

}  // namespace

constinit const ReportSection kGoalSection{.runFields = kGoalRunFields, .details = goalDetails};

}  // namespace amdahlc
