/// The critical path of a cover as measured.
#pragma once

#include "ir/module.h"
#include "passes/critical_path/longest_paths.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

/// Longest paths of a timed cover by the measured total of each kernel; 0 for a kernel without events. A scenario has
/// weights of its own and uses `LongestPaths` directly.
class PathAnalysis : public LongestPaths {
 public:
  static constexpr const char* kName = "critical-path";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  PathAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);
};

}  // namespace amdahlc
