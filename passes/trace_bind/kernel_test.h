/// How rules say that their kernels run: tests over kernel names and launch facts, launch sequences, and where they
/// apply.
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

namespace re2 {
class RE2;
}

namespace amdahlc::binding {

/// How well launches fit a rule, weakest first.
enum class Fit : uint8_t {
  None,
  /// The rule says nothing about launches.
  Any,
  /// A launching operator that the rule names, under a kernel name that it does not.
  OperatorOnly,
  /// Kernel names, where the rule names no operator or the trace has none.
  NameOnly,
  /// Kernel names and launching operator.
  Full,
};

/// Launches [position, position + length) as the run of one kernel.
struct LaunchMatch {
  Fit fit = Fit::None;
  uint32_t length = 0;
  /// OperatorOnly: the named operator itself launched, not one below it.
  bool direct = true;
};

/// A compiled `KernelStep::test`. A fact that the trace does not record is unknown, and unknown never satisfies: a step
/// whose test is unknown does not take the launch, as if it were false, and neither does its negation.
class KernelTest {
 public:
  explicit KernelTest(const ir::Expr& test) : test_(test, expression::Context::Kernel) {}
  bool holds(const LaunchSignature& signature, const Timeline& timeline) const;
  /// Whether a kernel of some name that no rule can mean, and with no known facts, passes the test.
  bool acceptsAnything() const;

 private:
  expression::Expression test_;
};

/// Names of framework operators as rules give them, by regular expression.
class OperatorPatterns {
 public:
  OperatorPatterns();
  ~OperatorPatterns();
  /// Full match of an operator name against `pattern`.
  bool matches(const std::string& pattern, std::string_view name);

 private:
  std::map<std::string, std::unique_ptr<re2::RE2>> regexes_;
};

/// The rules' launch sequences against one timeline's launches, every test run once per signature.
class RuleLaunches {
 public:
  /// `inPlay`, by rule: the others are as if they did not exist. Rules without a candidate are not in play: they can
  /// explain nothing in this graph, and IR text does not carry them, so that binding a dump must not depend on them.
  RuleLaunches(const ir::RuleSet& rules, const Launches& launches, const IdVector<ir::RuleId, bool>& inPlay);

  /// The best fit of `rule` at `position`: the longest of the strongest.
  LaunchMatch match(ir::RuleId rule, std::span<const Launch> launches, size_t position);
  /// Rules whose sequences could start at a launch of this signature, ascending.
  const std::vector<ir::RuleId>& startable(uint32_t signature) const { return startable_[signature]; }
  /// Whether the rule names the outermost operator around launches of this signature.
  bool namesOutermost(ir::RuleId rule, uint32_t signature);
  /// Whether the rule names some operator around launches of this signature.
  bool namesOperator(ir::RuleId rule, uint32_t signature);
  /// Whether the rule says anything about launches on this target.
  bool saysHow(ir::RuleId rule) const { return !sequences_[rule].empty(); }

 private:
  struct Sequence {
    const ir::LaunchSequence* source;
    bool applicable;
    /// Indices into `stepTests_`.
    std::vector<uint32_t> steps;
    bool telling = false;
  };
  bool stepHolds(uint32_t step, uint32_t signature);
  /// Whether the tests that must hold tell kernels apart at all: `/./` passes every name and says nothing without an
  /// operator.
  bool isTelling(const Sequence& sequence);
  /// Index into the signature's operators of the innermost one that the sequence names; nullopt: none.
  std::optional<size_t> namedOperator(const Sequence& sequence, uint32_t signature);
  std::optional<uint32_t> matchSteps(const Sequence& sequence, std::span<const Launch> launches, size_t position);
  bool continues(const Sequence& sequence, const Launch& first, const Launch& next);

  const ir::RuleSet& rules_;
  const Launches& launches_;
  OperatorPatterns operatorPatterns_;
  IdVector<ir::RuleId, std::vector<Sequence>> sequences_;
  std::vector<KernelTest> stepTests_;
  /// By step, then signature: -1 not yet known.
  std::vector<std::vector<int8_t>> stepResults_;
  std::vector<std::vector<ir::RuleId>> startable_;
};

}  // namespace amdahlc::binding
