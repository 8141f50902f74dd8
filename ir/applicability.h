/// Where rules and their kernels apply: runtime, vendor, architecture.
#pragma once

#include <span>
#include <vector>

#include "ir/module.h"

namespace amdahlc::ir {

/// Whether `where` admits the target; unknown members of the target admit everything.
bool applies(const Applicability& where, const Target& target);

/// The rules that apply to the target.
IdVector<RuleId, bool> rulesOn(const RuleSet& rules, const Target& target);

/// The operators that cost nothing on the target.
std::vector<OperatorName> viewsOn(const RuleSet& rules, const Target& target);

/// Whether the operator has one of the names.
bool isOneOf(std::span<const OperatorName> names, const Module& module, OpId op);

/// The module's own target, if it has one, and those of its timelines.
std::vector<Target> knownTargets(const Module& module);

/// Whether the rule applies to a known target of the module. True if no target is known.
bool isApplicable(const Module& module, const Rule& rule);

}  // namespace amdahlc::ir
