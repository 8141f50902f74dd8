/// The facet `liveness`: the liveness of tensors, and what could free memory. Established by the pass `liveness`.
#pragma once

#include <memory>
#include <vector>

#include "ir/facets/stored_facet.h"
#include "passes/liveness/candidates.h"
#include "passes/liveness/liveness.h"

namespace amdahlc {

/// IR text does not contain it, because the pass finds it again from what IR text contains.
struct LivenessFacet final : ir::TransientFacetOf<LivenessFacet, ir::Facet::Liveness> {
  /// Never null.
  std::shared_ptr<const Liveness> liveness = std::make_shared<const Liveness>();
  /// Of the way to the memory that tensors are moved to.
  int64_t bytesPerS = 0;
  /// Empty without times.
  std::vector<Candidate> offload, recompute;

  friend bool operator==(const LivenessFacet& a, const LivenessFacet& b) {
    return *a.liveness == *b.liveness && a.bytesPerS == b.bytesPerS && a.offload == b.offload &&
           a.recompute == b.recompute;
  }
};

}  // namespace amdahlc
