#include "passes/suggest_rules/suggested_rules.h"
#include "report/outputs/output.h"

namespace amdahlc {

constinit const Output kSuggestedRulesOutput{
    .name = "suggested-rules",
    .summary = "rules for device time that no rule explains, as `.akp` text, ranked by time",
    .pass = "suggest-rules",
    .needs = ir::Facet::Bound,
    .write = [](const OutputContext& context, ir::CoverId run) {
      return suggestions::printSuggestedRules(context.module, run, context.analyses);
    }};

}  // namespace amdahlc
