/// The analysis `replayed-scenarios`: the scenarios of the module by replay of a run.
#pragma once

#include <vector>

#include "passes/manager/analysis.h"
#include "passes/speedup_rewrite/replay_prediction.h"

namespace amdahlc {

struct ReplayedScenarios {
  static constexpr const char* kName = "replayed-scenarios";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  ReplayedScenarios(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// One per scenario; empty for a run that cannot be replayed.
  std::vector<ReplayPrediction> predictions;
  friend bool operator==(const ReplayedScenarios&, const ReplayedScenarios&) = default;
};

}  // namespace amdahlc
