#include "passes/trace_bind/declared.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/applicability.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/launches.h"

namespace amdahlc::binding {
namespace {

/// Checks the launch sequences of a rule set against the distinct launches of one trace.
class LaunchCheck {
 public:
  LaunchCheck(const Timeline& timeline, DiagnosticEngine& diagnostics)
      : timeline_(timeline), launches_(timeline), diagnostics_(diagnostics) {}

  void check(const ir::Rule& rule) {
    if (!applies(rule.where, timeline_.target)) return;
    for (const ir::LaunchSequence& sequence : rule.launches)
      if (applies(sequence.where, timeline_.target)) check(rule, sequence);
  }

 private:
  void check(const ir::Rule& rule, const ir::LaunchSequence& sequence) {
    const bool isOfOperators = namesOperators(sequence);
    bool everything = !isOfOperators && launches_.signatures().size() > 1;
    for (const ir::KernelStep& step : sequence.steps) {
      const KernelTest test(step.test, readsLists(rule));
      size_t byName = 0, byOperator = 0;
      for (const LaunchSignature& signature : launches_.signatures()) {
        if (!test.holds(signature, timeline_)) continue;
        ++byName;
        byOperator += !isOfOperators || namedBy(sequence, signature);
      }
      everything &= byName == launches_.signatures().size();
      if (step.min == 0 || byOperator > 0) continue;
      diagnostics_.warning(DiagId::LaunchMatchesNothing, step.test.range,
                           fmt::format("kernel pattern of rule `{}` fits {} of {} distinct launches of `{}`{}",
                                       rule.name, byName, launches_.signatures().size(), timeline_.file,
                                       byName == 0 ? "" : ", none from an operator that it names"));
      return;
    }
    if (everything && !sequence.steps.empty())
      diagnostics_.warning(DiagId::LaunchMatchesEverything, sequence.steps.front().test.range,
                           fmt::format("kernel pattern of rule `{}` fits all {} distinct launches of `{}`", rule.name,
                                       launches_.signatures().size(), timeline_.file));
  }

  bool namedBy(const ir::LaunchSequence& sequence, const LaunchSignature& signature) {
    return std::ranges::any_of(signature.operators,
                               [&](Symbol name) { return operatorPatterns_.isNamed(sequence, timeline_.text(name)); });
  }

  const Timeline& timeline_;
  Launches launches_;
  OperatorPatterns operatorPatterns_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace

void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics) {
  LaunchCheck check(timeline, diagnostics);
  for (const ir::Rule& rule : rules.rules) check.check(rule);
}

}  // namespace amdahlc::binding
