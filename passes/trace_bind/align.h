/// Alignment of the launches of one iteration with the operator graph.
///
/// Objective: explain each launch by an alternative (a candidate, or an operator alone) or leave it unbound, so that
/// the total score is the largest. The score sums the evidence of each bound launch (evidence.h), a small bonus for
/// alternatives that use the last kernel's result, and costs of unbound launches, of launches out of the expected order
/// and of skipped operators. Candidates are not chosen beforehand: the best explanation of all launches decides which
/// of them ran. Launches may come in any order that the graph allows.
///
/// State, after the first `p` launches (search_state.h): the status of each operator (open, claimed by a kernel, or
/// skipped), the score, and the last kernel with its call and its rank in the expected order.
///
/// Transitions from `p`:
///   - unbound: the launch has no kernel;
///   - start: an alternative begins here and takes one launch or more. None of its operators is claimed, except by a
///     rule that recomputes. The open operators that it waits for are skipped, at a cost;
///   - same call: the launch belongs to the last kernel, because the same framework call made it;
///   - next trip: the operators of a loop around the last kernel are open again, and an alternative of its body starts.
/// After the last launch, open operators count as skipped.
///
/// Invariants: a state at `p` explains exactly `p` launches. Outside of loops that start a trip again, an operator is
/// claimed or skipped only after every operator that it waits for, so that kernels start in a topological order. Equal
/// scores are ordered by the order of proposals, which depends on ids only.
///
/// The search is a beam search and does not guarantee the optimum. At each `p` it keeps at most `beamWidth` states. Of
/// states with the same status of all operators (compared by a 64-bit hash), and with the same last kernel where its
/// call continues, only the best is kept. States far behind the best are dropped. Only the next few alternatives of
/// each family (families.h) and those that use the last kernel's result are tried.
///
/// Cost: launches x beamWidth states, each with a bounded number of proposals per family. A proposal visits the
/// operators that it would skip, up to a cost limit. Applying one copies the status by reference, in blocks of 512
/// operators. A next trip is linear in the number of operators.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/evidence.h"
#include "passes/trace_bind/launches.h"

namespace amdahlc::binding {

struct AlignOptions {
  size_t beamWidth = 16;
  OrderKind order = OrderKind::Model;
  /// Alternatives that may be used; null for all.
  const std::vector<bool>* allowed = nullptr;
};

/// The binding of one launch.
struct LaunchBinding {
  /// kNoAlternative if unbound.
  AlternativeId alternative = kNoAlternative;
  ir::EvidenceSet evidence = 0;
  uint16_t confidencePermille = 0;
};

struct Alignment {
  int64_t score = 0;
  /// By position.
  std::vector<LaunchBinding> bindings;
  /// In order of first launch.
  std::vector<AlternativeId> used;
  /// Trips of each loop with a bound launch in its body; those of an inner loop are summed over the trips of the outer
  /// ones.
  std::map<ir::OpId, int64_t> trips;
  /// Every launch is bound, and none is out of the expected order.
  bool asExpected = true;
  int64_t statesExpanded = 0;
};

Alignment align(const AlternativeGraph& graph, Scorer& scorer, const Launches& all, std::span<const Launch> launches,
                const AlignOptions& options);

}  // namespace amdahlc::binding
