#include "passes/trace_bind/kernel_test.h"

#include <re2/re2.h>

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

bool OperatorPatterns::matches(const std::string& pattern, std::string_view name) {
  auto& compiled = regexes_[pattern];
  if (!compiled) compiled = std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet);
  return compiled->ok() && re2::RE2::FullMatch({name.data(), name.size()}, *compiled);
}

}  // namespace amdahlc::binding
