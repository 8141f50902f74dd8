// Before: kernels have times, and 8 ms are wanted.   After: a run has the speed-ups with which it takes 8 ms.
//
//   wall 10 ms                                        linear 1.818x
//                                                     sdpa 3x and host 1.2x
//                                                     floor 5.1 ms
//
// A goal below the floor has no solution, and the floor is told.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/goal/goal_analysis.h"
#include "passes/manager/showing_pass.h"

namespace amdahlc {

class GoalPass : public ShowingPass<GoalAnalysis> {
 public:
  GoalPass() {
    runsByDefault(DefaultUse::IfAskedFor);
    needsInput(PassInput::Trace);
    requiresFacet(ir::Facet::Timed);
    usesIfBefore("schedule");
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
  }

 private:
  std::optional<GoalAnalysis::Options> optionsFor(const ir::Module& module, PassContext& context) override {
    const PassOption& option = *findOption("groups");
    if (!target_) {
      context.diagnostics.error(DiagId::PipelineMissingInput, option.place ? Location(*option.place) : Location(),
                                "pass `goal` needs a goal; give one with `-goal=8ms` or `-goal=1.5x`");
      return std::nullopt;
    }
    auto groups = groupsOf(module, selectors_, option, context);
    if (!groups) return std::nullopt;
    return GoalAnalysis::Options{*target_, std::move(*groups)};
  }

  void tell(const ir::Module&, ir::CoverId, const GoalAnalysis& facts, PassContext&) override {
    predictions_ += facts.predictions;
    solutions_ += static_cast<int64_t>(facts.found.solutions.size());
  }

  std::optional<TimeGoal> target_;
  std::vector<std::string> selectors_;
  int64_t& solutions_ = statistic("solutions", "over all runs");
  int64_t& predictions_ = statistic("predictions", "times predicted");
};

std::unique_ptr<Pass> makeGoalPass() { return std::make_unique<GoalPass>(); }

}  // namespace amdahlc
