#include "passes/trace_bind/kernel_test.h"

#include <re2/re2.h>

namespace amdahlc::binding {

bool KernelTest::holds(const LaunchSignature& signature, const Timeline& timeline) const {
  const expression::LaunchLeaves launch{timeline.text(signature.name), signature.kind, signature.facts};
  return test_.holds({.launch = &launch});
}

bool KernelTest::acceptsAnything() const {
  const expression::LaunchLeaves launch{"\x01", EventKind::Kernel, {}};
  return test_.holds({.launch = &launch});
}

OperatorPatterns::OperatorPatterns() = default;
OperatorPatterns::~OperatorPatterns() = default;

bool OperatorPatterns::matches(const std::string& pattern, std::string_view name) {
  auto& compiled = regexes_[pattern];
  if (!compiled) compiled = std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet);
  return compiled->ok() && re2::RE2::FullMatch({name.data(), name.size()}, *compiled);
}

}  // namespace amdahlc::binding
