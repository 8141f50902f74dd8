/// The launch sequences of rules: tests of kernel names and launch facts, and where they apply.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expression/expression.h"
#include "ir/module.h"
#include "passes/trace_bind/launches.h"
#include "support/diagnostic.h"

namespace re2 {
class RE2;
}

namespace amdahlc::binding {

/// How well launches fit a rule, weakest first.
enum class Fit : uint8_t {
  None,
  /// The rule has no launch sequence, or none whose tests are selective.
  Any,
  /// The launching operator, under a kernel name that does not fit.
  OperatorOnly,
  /// Kernel names; the rule names no operator, or the trace has none.
  NameOnly,
  /// Kernel names and launching operator.
  Full,
};

/// The launches [position, position + length) as one kernel.
struct LaunchMatch {
  Fit fit = Fit::None;
  uint32_t length = 0;
};

/// A compiled `KernelStep::test`. A fact that the trace does not record makes a test that needs it unknown. A step
/// whose test is unknown does not take the launch, and neither does a step with the negated test.
class KernelTest {
 public:
  explicit KernelTest(const ir::Expr& test, bool readsLists = false)
      : test_(test, expression::Context::Kernel), readsLists_(readsLists) {}
  /// The operators that the name of generated code lists say nothing about other kernels: unless the test reads lists,
  /// it must not hold for the list alone.
  bool holds(const LaunchSignature& signature, const Timeline& timeline) const;
  /// The same for a kernel of this name without known facts.
  bool holdsOn(std::string_view name) const;
  /// Whether the test passes for a kernel without known facts whose name no rule can mean.
  bool acceptsAnything() const;

 private:
  expression::Expression test_;
  bool readsLists_;
};

/// Whether the tests of a rule read the operators that the name of generated code lists: those of a rule for such code,
/// and of one that binds by nothing but names.
inline bool readsLists(const ir::Rule& rule) { return rule.generated || rule.namesOnly; }

/// Whether the sequence is one of launches by framework operators that it names.
inline bool namesOperators(const ir::LaunchSequence& sequence) {
  return !sequence.operators.empty() || !sequence.operatorPatterns.empty();
}

/// Which framework operators sequences name. Keeps the compiled regular expressions.
class OperatorPatterns {
 public:
  OperatorPatterns();
  ~OperatorPatterns();
  bool isNamed(const ir::LaunchSequence& sequence, std::string_view name) const;
  /// By some sequence of the rule.
  bool isNamed(const ir::Rule& rule, std::string_view name) const;

 private:
  mutable std::map<std::string, std::unique_ptr<re2::RE2>> regexes_;
};

/// How the launches of a call fit a rule.
struct RuleFit {
  Fit fit = Fit::None;
  /// The rule names the top-level operator of the call.
  bool top = false;
  /// The calls that the launches are of.
  uint32_t calls = 1;
  /// Whether the rule names an operator of the call.
  bool knowsCall() const { return fit == Fit::Full || fit == Fit::OperatorOnly; }
};

/// Matches the rules' launch sequences with the launches of one timeline. Each test runs once per signature.
class RuleLaunches {
 public:
  /// `active`, by rule: all others are ignored. Rules without a candidate are not active: they explain no kernel of
  /// this graph, and IR text does not contain them, so the binding of a dump must not depend on them.
  RuleLaunches(const ir::RuleSet& rules, const Launches& launches, const IdVector<ir::RuleId, bool>& active);

  /// The number of tests in the launch sequences of the active rules; each runs at most once per signature.
  static size_t testsOf(const ir::RuleSet& rules, const IdVector<ir::RuleId, bool>& active);

  /// The best fit of `rule` at `position`: the longest of the strongest.
  LaunchMatch match(ir::RuleId rule, std::span<const Launch> launches, size_t position);
  /// The best fit of `rule` at a launch of the call.
  RuleFit fit(ir::RuleId rule, size_t iteration, size_t call);
  /// Whether a match of the rule that starts at the launch may take launches of later calls.
  bool mayTakeLaterCalls(ir::RuleId rule, const Launch& launch) const {
    return launch.call.isNone() ? takesSeveralLaunches_[rule] : takesSeveralCalls_[rule];
  }
  /// Rules whose sequences could start at a launch of this signature, ascending.
  const std::vector<ir::RuleId>& startable(uint32_t signature) const { return startable_[signature]; }
  /// Whether the rule, which is active, names this operator.
  bool names(ir::RuleId rule, std::string_view operatorName);

 private:
  struct Sequence {
    const ir::LaunchSequence* source;
    bool applicable;
    /// Indices into `stepTests_`.
    std::vector<uint32_t> steps;
    bool selective = false;
    /// It is for CPUs only, where events have the names of operators. These do not change with a version of a library:
    /// where the tests fail, the operator alone does not tell.
    bool testsOperators = false;
  };
  bool stepHolds(uint32_t step, uint32_t signature);
  /// Whether a test of a required step is selective: `/./` passes for every name, and is no evidence without an
  /// operator.
  bool isSelective(const Sequence& sequence);
  /// Index into the signature's operators of the innermost one that the sequence names; nullopt: none.
  std::optional<size_t> namedOperator(const Sequence& sequence, uint32_t signature);
  std::optional<uint32_t> matchSteps(const Sequence& sequence, std::span<const Launch> launches, size_t position);
  bool continues(const Sequence& sequence, const Launch& first, const Launch& next);

  const ir::RuleSet& rules_;
  const Launches& launches_;
  OperatorPatterns operatorPatterns_;
  IdVector<ir::RuleId, std::vector<Sequence>> sequences_;
  std::vector<KernelTest> stepTests_;
  /// By step, then signature: -1 is not yet known.
  std::vector<std::vector<int8_t>> stepResults_;
  std::vector<std::vector<ir::RuleId>> startable_;
  IdVector<ir::RuleId, bool> takesSeveralLaunches_, takesSeveralCalls_;
};

/// The check of `-check-rules -trace=`.
/// Warns at a test of a launch sequence that applies to the trace's target: where a required step fits no kernel of the
/// trace (`launch-matches-nothing`), and where all steps fit all kernels although the sequence names no operator
/// (`launch-matches-everything`).
void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::binding
