/// The analysis `liveness`: computes the liveness of tensors of a cover, from the events of its run if it has one.
#pragma once

#include <memory>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/liveness/liveness.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

/// Linear in the operators, values and uses of the module, but for the order of the schedule.
class LivenessAnalysis {
 public:
  static constexpr const char* kName = "liveness";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  LivenessAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  const Liveness& liveness() const { return *liveness_; }
  /// Shared, because outputs read it after the analysis was dropped.
  std::shared_ptr<const Liveness> share() const { return liveness_; }

  friend bool operator==(const LivenessAnalysis& a, const LivenessAnalysis& b) { return *a.liveness_ == *b.liveness_; }

 private:
  std::shared_ptr<const Liveness> liveness_;
};

/// Without the caches of an analysis manager.
Liveness livenessOf(const ir::Module& module, const ir::OperatorGraph& graph, const ir::Cover& cover);

}  // namespace amdahlc
