#include "ir/applicability.h"

#include <algorithm>
#include <string_view>

#include "support/case_folding.h"

namespace amdahlc::ir {
namespace {

/// Whether `admits(wanted, actual)` holds for one of `wanted`. True if `actual` is unknown or nothing is wanted.
template <typename Admits>
bool anyAdmits(const std::vector<std::string>& wanted, std::string_view actual, const Admits& admits) {
  return wanted.empty() || actual.empty() ||
         std::ranges::any_of(wanted, [&](const std::string& name) { return admits(name, actual); });
}

}  // namespace

bool applies(const Applicability& where, const Target& target) {
  return anyAdmits(where.runtimes, target.runtime, equalIgnoringCase) &&
         anyAdmits(where.vendors, target.vendor, equalIgnoringCase) && anyAdmits(where.archs, target.arch, accepts);
}

IdVector<RuleId, bool> rulesOn(const RuleSet& rules, const Target& target) {
  IdVector<RuleId, bool> admitted;
  for (const Rule& rule : rules.rules) admitted.push_back(applies(rule.where, target));
  return admitted;
}

std::vector<OperatorName> viewsOn(const RuleSet& rules, const Target& target) {
  std::vector<OperatorName> names;
  for (const Views& views : rules.views)
    if (applies(views.where, target)) names.insert(names.end(), views.operators.begin(), views.operators.end());
  return names;
}

bool isOneOf(std::span<const OperatorName> names, const Module& module, OpId op) {
  const std::string_view domain = module.text(module.ops[op].domain), type = module.text(module.ops[op].type);
  return std::ranges::any_of(names,
                             [&](const OperatorName& name) { return name.domain == domain && name.type == type; });
}

std::vector<Target> knownTargets(const Module& module) {
  std::vector<Target> targets;
  if (!module.target.empty()) targets.push_back(module.target);
  for (const Timeline& timeline : module.timelines) targets.push_back(timeline.target);
  return targets;
}

bool isApplicable(const Module& module, const Rule& rule) {
  const std::vector<Target> targets = knownTargets(module);
  return targets.empty() ||
         std::ranges::any_of(targets, [&](const Target& target) { return applies(rule.where, target); });
}

}  // namespace amdahlc::ir
