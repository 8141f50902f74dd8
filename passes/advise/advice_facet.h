/// The facet `advice`: what to change first in each run, and what it saves. Established by the pass `advise`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/facets/stored_facet.h"
#include "passes/speedup_rewrite/replayed_scenarios.h"

namespace amdahlc {

struct Advice {
  /// As `-what-if=` takes it, without a new time; of a change of the program the change.
  std::string selector;
  /// What to do, as a phrase.
  std::string change;
  std::string why;
  /// Totals over the selected iterations: what the change saves of wall time by itself, and the wall time after it and
  /// all changes before it in the list.
  double savesWallNs = 0, wallNs = 0;
  /// What a change of the program rests on; empty for none.
  std::string assumption;
  friend bool operator==(const Advice&, const Advice&) = default;
};

struct AdviceFacet final : ir::TransientFacetOf<AdviceFacet, ir::Facet::Advice> {
  /// Wall time is replayed; else idle time is kept.
  bool isReplayed = false;
  /// Of a run without wall time, busy time takes its place.
  bool isWall = true;
  double measuredNs = 0;
  /// How many changes were predicted.
  size_t tried = 0;
  /// The one that saves most first, then the one that saves most after it, and so on.
  std::vector<Advice> advice;
  /// What is not worth a try, and what is not known, as sentences.
  std::vector<std::string> notes;
  ReplayPrediction::Caution caution = ReplayPrediction::Caution::None;
  friend bool operator==(const AdviceFacet&, const AdviceFacet&) = default;
};

}  // namespace amdahlc
