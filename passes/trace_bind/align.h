/// Alignment of one iteration's launches with the operator graph, in any order that the graph allows.
///
/// A beam search over positions in the launch sequence. A state knows which operators have been claimed by a kernel and
/// which were passed over; a launch may start any alternative whose operators are free (what that one waits for and
/// nobody claimed is then passed over, at a cost), may be a further launch of the last kernel's call, or may stay
/// unbound. Candidates are not chosen beforehand: the cheapest explanation of the whole sequence decides which of them
/// ran.
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
  /// Alternatives that may be used; null: all.
  const std::vector<bool>* allowed = nullptr;
};

/// What became of one launch.
struct LaunchBinding {
  /// kNoAlternative: unbound.
  AlternativeId alternative = kNoAlternative;
  ir::EvidenceSet evidence = 0;
  uint16_t confidencePermille = 0;
};

struct Alignment {
  int64_t points = 0;
  /// By position.
  std::vector<LaunchBinding> bindings;
  /// In order of first launch.
  std::vector<AlternativeId> used;
  /// Of loops in whose bodies launches were bound; of an inner loop, summed over the trips of outer ones.
  std::map<ir::OpId, int64_t> trips;
  /// Every launch was bound, and none came out of the expected order.
  bool asExpected = true;
  int64_t statesExpanded = 0;
};

Alignment align(const AlternativeGraph& graph, Judge& judge, const Launches& all, std::span<const Launch> launches,
                const AlignOptions& options);

}  // namespace amdahlc::binding
