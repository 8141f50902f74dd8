/// The facet `curves`: the times of each run against the factor of groups. Established by the pass `curves`.
#pragma once

#include <vector>

#include "ir/facets/stored_facet.h"
#include "passes/curves/curve.h"

namespace amdahlc {

struct CurvesFacet final : ir::TransientFacetOf<CurvesFacet, ir::Facet::Curves> {
  /// Wall time is replayed; else idle time is kept.
  bool isReplayed = false;
  /// In the order of the selectors.
  std::vector<Curve> curves;

  friend bool operator==(const CurvesFacet&, const CurvesFacet&) = default;
};

}  // namespace amdahlc
