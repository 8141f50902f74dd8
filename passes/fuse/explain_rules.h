/// `-explain-rule=`: what became of a rule, as text for people.
#pragma once

#include <string>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/cover_builder.h"
#include "passes/fuse/enumeration.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

/// Attempts, matches, why matches are not kernels, why attempts failed, and the nearest miss.
std::string explainRule(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                        const CoverBuilder& builder, ir::RuleId rule, const RuleAttempts& attempts);

}  // namespace amdahlc
