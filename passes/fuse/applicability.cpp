#include "passes/fuse/applicability.h"

#include <algorithm>
#include <string_view>

#include "support/case_folding.h"

namespace amdahlc {
namespace {

/// Whether `admits(wanted, actual)` holds for one of `wanted`. True if `actual` is unknown or nothing is wanted.
template <typename Admits>
bool anyAdmits(const std::vector<std::string>& wanted, std::string_view actual, const Admits& admits) {
  return wanted.empty() || actual.empty() ||
         std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return admits(name, actual); });
}

}  // namespace

bool applies(const ir::Applicability& where, const Target& target) {
  return anyAdmits(where.runtimes, target.runtime, equalIgnoringCase) &&
         anyAdmits(where.vendors, target.vendor, equalIgnoringCase) && anyAdmits(where.archs, target.arch, accepts);
}

std::vector<ir::OperatorName> viewsOn(const ir::RuleSet& rules, const Target& target) {
  std::vector<ir::OperatorName> names;
  for (const ir::Views& views : rules.views)
    if (applies(views.where, target)) names.insert(names.end(), views.operators.begin(), views.operators.end());
  return names;
}

std::vector<Target> knownTargets(const ir::Module& module) {
  std::vector<Target> targets;
  if (!module.target.empty()) targets.push_back(module.target);
  for (const Timeline& timeline : module.timelines) targets.push_back(timeline.target);
  return targets;
}

bool isApplicable(const ir::Module& module, const ir::Rule& rule) {
  const std::vector<Target> targets = knownTargets(module);
  return targets.empty() ||
         std::any_of(targets.begin(), targets.end(), [&](const Target& target) { return applies(rule.where, target); });
}

}  // namespace amdahlc
