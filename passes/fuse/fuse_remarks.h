/// What became of rules and operators, as text: the remarks of `-Rpass=fuse`, `-Rpass-missed=fuse` and
/// `-Rpass-analysis=fuse`, and `-explain-rule=`.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/fuse/cover_builder.h"
#include "passes/fuse/enumeration.h"
#include "passes/manager/pass.h"

namespace amdahlc {

/// Remarks of the wanted kinds on the cover `default`: one for each kernel of a rule, for each operator without one,
/// for each candidate that was not chosen. `nearMisses` is needed for missed operators only.
void remarkOnCover(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                   const CoverBuilder& builder, const IdVector<ir::OpId, NearMiss>& nearMisses, PassContext& context);

/// Of a rule: attempts, matches, why matches are not kernels, why attempts failed, and the nearest miss.
std::string explainRule(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                        const CoverBuilder& builder, ir::RuleId rule, const RuleAttempts& attempts);

/// What became of the matches of a rule in a bound run: kernels with and without events, and which kernels have the
/// operators of the others.
std::string explainRuleInRun(const ir::Module& module, const Timeline& run, ir::RuleId rule);

}  // namespace amdahlc
