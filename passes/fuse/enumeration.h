/// All candidates of a module: every match of every applicable rule.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/match_failure.h"
#include "passes/fuse/matcher.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

/// For remarks: the attempt that contained an operator and went deepest before it failed.
struct NearMiss {
  /// Index in the rule index; kNoIndex if no pattern tried the operator.
  uint32_t pattern = ir::kNoIndex;
  MatchFailure failure;
};

struct Enumeration {
  /// In order of (rule, alternative, root, operators), components assigned.
  IdVector<ir::CandidateId, ir::Candidate> candidates;
  /// Pairs of a root and a pattern that were tried.
  int64_t attempts = 0;
  int64_t steps = 0;
  int64_t truncatedRoots = 0;
  /// Set if the matches have more operators than `matchedOperatorsLimit`; then there are no candidates.
  struct Excess {
    /// Of the matches that were found until then.
    int64_t operators = 0;
    /// The rule with most of them.
    ir::RuleId rule;
  };
  std::optional<Excess> excess;
  /// Empty unless requested.
  IdVector<ir::OpId, NearMiss> nearMisses;
};

/// The attempts of one rule, over all its alternatives.
struct RuleAttempts {
  int64_t tried = 0;
  /// Attempts with a match.
  int64_t matched = 0;
  std::map<MatchFailure::Reason, int64_t> failures;
  /// The attempt that went deepest.
  NearMiss nearest;

  void add(uint32_t pattern, bool isMatch, const MatchFailure& failure);
};

/// Of the operators in all matches together.
int64_t matchedOperatorsLimit(const ir::Module& module);

/// If candidates of one rule have the same operators, the first in that order is kept. `progress` may be empty; it gets
/// fractions in 0..1. The attempts of the rules in `attempts` are noted there.
Enumeration enumerateCandidates(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                                MatchLimits limits, bool wantNearMisses,
                                const std::function<void(double)>& progress = {},
                                std::map<ir::RuleId, RuleAttempts>* attempts = nullptr);

}  // namespace amdahlc
