/// Tries rules: matches them on a copy of the model, together with the rules that the module has, and binds a run anew.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/program_order.h"

namespace amdahlc::suggestions {

/// A run as it is bound with some more rules.
struct TrialResult {
  std::unique_ptr<binding::AlternativeGraph> graph;
  ir::Cover cover;
  binding::OrderKind order = binding::OrderKind::Model;
  /// Log-odds of the alignment, in hundredths of a nat.
  int64_t score = 0;
  /// Nanoseconds of selected events that are bound, the sum of their durations, and of those among them that are bound
  /// to kernels of rules.
  int64_t boundNs = 0, ruledNs = 0;

  const ir::BoundFacet& facts() const { return *cover.facets.get<ir::BoundFacet>(); }
};

class RuleTrial {
 public:
  /// All must outlive the trial.
  RuleTrial(const ir::Module& module, const ir::OperatorGraph& operators, const Timeline& timeline);

  /// The rules of the last trial and their candidates.
  const ir::Module& module() const { return copy_; }
  /// The name of the rule that a kernel of the last result is of; empty without one.
  std::string_view ruleOf(const ir::Kernel& kernel) const {
    return kernel.candidate ? copy_.ruleOf(*kernel.candidate).name : std::string_view();
  }
  /// Binds the run with the rules of an `.akp` text beside those of the module. nullopt if the text has an error, or
  /// the run cannot be bound: too many matches, or more tests of kernels than the limits allow. The result refers to
  /// `module()` and is valid until the next trial.
  std::optional<TrialResult> run(const std::string& rules);

 private:
  const ir::OperatorGraph& operators_;
  const Timeline& timeline_;
  const ir::RuleSet& rules_;
  ir::Module copy_;
};

}  // namespace amdahlc::suggestions
