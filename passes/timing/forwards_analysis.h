/// The analysis `forwards`: the forward passes of a run, and which of them do the same (docs/forwards.md).
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "replay/timeline/forward_groups.h"

namespace amdahlc {

class ForwardsAnalysis {
 public:
  static constexpr const char* kName = "forwards";
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};

  ForwardsAnalysis(const ir::Module& module, ir::CoverId cover);

  /// Null where they are not known: because the run was read from IR text, which has no calls of the host, because a
  /// runtime that names the nodes of events ran the model several times in an iteration, or because forwards overlap.
  const ForwardGroups* known() const { return groups_ ? &*groups_ : nullptr; }
  /// Why they are not known; nullopt if they are.
  std::optional<Absence> absence() const { return groups_.absence(); }
  /// By event the index of its group; empty where forwards are not known.
  std::span<const uint32_t> ofEvents() const {
    return groups_ ? std::span<const uint32_t>(groups_->ofEvents) : std::span<const uint32_t>();
  }

  friend bool operator==(const ForwardsAnalysis&, const ForwardsAnalysis&) = default;

 private:
  Known<ForwardGroups> groups_;
};

}  // namespace amdahlc
