/// Where rules and their kernels apply: runtime, vendor, architecture.
#pragma once

#include "ir/module.h"

namespace amdahlc {

/// Whether `where` admits the target; unknown members of the target admit everything.
bool applies(const ir::Applicability& where, const Target& target);

/// The operators that cost nothing on the target.
std::vector<ir::OperatorName> viewsOn(const ir::RuleSet& rules, const Target& target);

/// The module's own target, if it has one, and those of its timelines.
std::vector<Target> knownTargets(const ir::Module& module);

/// Whether the rule applies to a known target of the module. True if no target is known.
bool isApplicable(const ir::Module& module, const ir::Rule& rule);

}  // namespace amdahlc
