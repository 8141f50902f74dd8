#include "passes/trace_bind/kernel_test.h"

#include <re2/re2.h>

#include <algorithm>

namespace amdahlc::binding {

bool KernelTest::holds(const LaunchSignature& signature, const Timeline& timeline) const {
  const std::string_view name = timeline.text(signature.name);
  if (!readsLists_) {
    const std::string_view list = runtimeAdapter(timeline.target.runtime).operatorList(name);
    if (!list.empty() && holdsOn(list)) return false;
  }
  const expression::LaunchLeaves launch{name, signature.kind, signature.facts};
  return test_.holds({.launch = &launch});
}

bool KernelTest::holdsOn(std::string_view name) const {
  const expression::LaunchLeaves launch{name, EventKind::Kernel, {}};
  return test_.holds({.launch = &launch});
}

bool KernelTest::acceptsAnything() const { return holdsOn("\x01"); }

OperatorPatterns::OperatorPatterns() = default;
OperatorPatterns::~OperatorPatterns() = default;

bool OperatorPatterns::isNamed(const ir::LaunchSequence& sequence, std::string_view name) const {
  const auto matches = [&](const std::string& pattern) {
    auto& compiled = regexes_[pattern];
    if (!compiled) compiled = std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet);
    return compiled->ok() && re2::RE2::FullMatch({name.data(), name.size()}, *compiled);
  };
  return std::ranges::find(sequence.operators, name) != sequence.operators.end() ||
         std::ranges::any_of(sequence.operatorPatterns, matches);
}

bool OperatorPatterns::isNamed(const ir::Rule& rule, std::string_view name) const {
  return std::ranges::any_of(rule.launches,
                             [&](const ir::LaunchSequence& sequence) { return isNamed(sequence, name); });
}

}  // namespace amdahlc::binding
