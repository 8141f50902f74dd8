/// All candidates of a module: every match of every applicable rule.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/match_failure.h"
#include "passes/fuse/matcher.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

/// What an operator came closest to, for remarks: the match of `pattern` that held it and went deepest before it failed.
struct NearMiss {
  uint32_t pattern = ir::kNoIndex;  ///< index in the rule index; kNoIndex: no pattern tried the operator
  MatchFailure failure;
};

struct Enumeration {
  IdVector<ir::CandidateId, ir::Candidate>
      candidates;        ///< in order of (rule, alternative, root, operators), components assigned
  int64_t attempts = 0;  ///< pairs of a root and a pattern that were tried
  int64_t steps = 0;
  int64_t truncatedRoots = 0;
  IdVector<ir::OpId, NearMiss> nearMisses;  ///< empty unless asked for
};

/// Of equal operator sets of one rule, the first in that order is kept. `progress` may be empty; it gets fractions in 0..1.
Enumeration enumerateCandidates(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                                MatchLimits limits, bool wantNearMisses,
                                const std::function<void(double)>& progress = {});

}  // namespace amdahlc
