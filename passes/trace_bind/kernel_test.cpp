#include "passes/trace_bind/kernel_test.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "ir/applicability.h"

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

namespace {

/// Checks a launch sequence against the distinct launches of a trace.
void check(const ir::Rule& rule, const ir::LaunchSequence& sequence, const Launches& launches,
           const OperatorPatterns& patterns, DiagnosticEngine& diagnostics) {
  const Timeline& timeline = launches.timeline();
  const size_t count = launches.signatures().size();
  const bool isOfOperators = namesOperators(sequence);
  bool everything = !isOfOperators && count > 1;
  for (const ir::KernelStep& step : sequence.steps) {
    const KernelTest test(step.test, readsLists(rule));
    size_t byName = 0, byOperator = 0;
    for (const LaunchSignature& signature : launches.signatures()) {
      if (!test.holds(signature, timeline)) continue;
      ++byName;
      const auto isNamed = [&](Symbol name) { return patterns.isNamed(sequence, timeline.text(name)); };
      byOperator += !isOfOperators || std::ranges::any_of(signature.operators, isNamed);
    }
    everything &= byName == count;
    if (step.min == 0 || byOperator > 0) continue;
    diagnostics.warning(
        DiagId::LaunchMatchesNothing, step.test.range,
        fmt::format("kernel pattern of rule `{}` fits {} of {} distinct launches of `{}`{}", rule.name, byName, count,
                    timeline.file, byName == 0 ? "" : ", none from an operator that it names"));
    return;
  }
  if (everything && !sequence.steps.empty())
    diagnostics.warning(DiagId::LaunchMatchesEverything, sequence.steps.front().test.range,
                        fmt::format("kernel pattern of rule `{}` fits all {} distinct launches of `{}`", rule.name,
                                    count, timeline.file));
}

}  // namespace

void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics) {
  const Launches launches(timeline);
  const OperatorPatterns patterns;
  for (const ir::Rule& rule : rules.rules)
    for (const ir::LaunchSequence& sequence : rule.launches)
      if (applies(rule.where, timeline.target) && applies(sequence.where, timeline.target))
        check(rule, sequence, launches, patterns, diagnostics);
}

}  // namespace amdahlc::binding
