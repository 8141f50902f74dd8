/// The analysis `curves`: the times of a run against the factor of groups. The pass `curves` shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/curves/curve.h"
#include "passes/curves/timed_groups.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

struct CurvesAnalysis {
  static constexpr const char* kName = "curves";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  struct Options {
    /// Empty: those with the most time.
    NamedGroups groups;
    friend bool operator==(const Options&, const Options&) = default;
  };
  CurvesAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  schedule::WallModel model = schedule::WallModel::Unknown;
  /// In the order of the groups.
  std::vector<Curve> curves;
  /// How many times were predicted.
  int64_t predictions = 0;

  friend bool operator==(const CurvesAnalysis&, const CurvesAnalysis&) = default;
};

/// `2`, `1.5`, `inf`: so many times as fast.
std::string formatSpeedup(const Rational& factor);

}  // namespace amdahlc
