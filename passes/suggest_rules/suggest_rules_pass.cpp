// Before: kernels are bound.                         After: the same, and the analysis `suggested-rules`.
//
//   ns::linear     without a kernel                   kernel linear : gemm {
//   MatMul, Add    without an event                     match { m = MatMul(_, const); a = Add(m, const); } -> a;
//                                                       runs as { /./+ } for op "ns::linear";
//                                                     }
//
// Calls without a kernel are compared with the operators between the same bound neighbours. What they may run is
// written as a rule, and tried: matched and bound like the rules of a file. It is kept if it explains more of the run.

#include <fmt/format.h>

#include <memory>

#include "passes/manager/pass.h"
#include "passes/suggest_rules/suggested_rules.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {

class SuggestRulesPass : public Pass {
 public:
  SuggestRulesPass() {
    runsByDefault(DefaultUse::IfAskedFor);
    needsInput(PassInput::Trace);
    requiresFacet(ir::Facet::Bound);
    requiresHostEvents([](const ir::Module&, const Timeline&) { return true; });
    printsAnalysis({suggestions::SuggestedRules::kName, "rules for device time that no rule explains", ir::Facet::Bound,
                    suggestions::printSuggestedRules, coversOfRuns});
  }

  PassResult run(ir::Module& module, PassContext& context) override {
    for (const ir::CoverId cover : module.coverIds()) {
      const std::string& label = module.cover(cover).traceLabel;
      if (label.empty()) continue;
      const auto& found = context.analyses.get<suggestions::SuggestedRules>(cover);
      if (context.wantsDebug())
        for (const std::string& line : found.log) context.debug(printable(line));
      trials_ += found.trials;
      suggested_ += static_cast<int64_t>(found.rules.size());
      const TraceLocation trace{module.findTimeline(label)->file, std::nullopt, std::nullopt};
      if (context.wants(RemarkKind::Passed))
        for (size_t i = 0; i < found.rules.size(); ++i)
          context.remark(RemarkKind::Passed, trace,
                         fmt::format("rule `{}` explains {}", found.rules[i].name, describe(found, i)));
      if (context.wants(RemarkKind::Missed))
        for (const suggestions::CallKind& kind : found.unexplained)
          context.remark(RemarkKind::Missed, trace,
                         fmt::format("no rule that was tried explains {} of `{}` ({} ns)", plural(kind.calls, "call"),
                                     printable(kind.name), kind.ns));
    }
    return PassResult::unchanged();
  }

 private:
  int64_t& trials_ = statistic("rule-trials", "rules that were matched and bound to a run");
  int64_t& suggested_ = statistic("suggested-rules", "rules that explain more of a run");
};

std::unique_ptr<Pass> makeSuggestRulesPass() { return std::make_unique<SuggestRulesPass>(); }

}  // namespace amdahlc
