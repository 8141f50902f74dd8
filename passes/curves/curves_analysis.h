/// The analysis `curves`: the times of a run against the factor of groups (definitions in docs/passes/curves.md). The
/// pass `curves` shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel_graph.h"
#include "passes/curves/timed_groups.h"
#include "passes/manager/analysis.h"
#include "replay/scenario/group_times.h"
#include "replay/schedule/prediction.h"
#include "support/rational.h"

namespace amdahlc {

/// Totals over the reported iterations.
struct CurvePoint {
  /// New time / old time of the group.
  Rational factor;
  schedule::PredictedTimes times;
  double pathNs = 0;

  double limitNs() const { return static_cast<double>(times.limitNs()); }
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

struct Curve {
  std::string selector;
  /// From factor 1 down to 0: the standard ones, and those at which the slope of wall time or of the path changes.
  std::vector<CurvePoint> points;
  /// The factor from which on the group limits wall time by at most half as much as at first; nullopt if there is none.
  std::optional<Rational> knee;
  /// The selector of the group that limits wall time there; empty if there is no knee, or no such group.
  std::string next;
  /// The selector of the group whose speed-up would save most if this group cost nothing; empty for none.
  std::string rest;
  /// The same of the path, and the kernels that are on it beyond the knee and not before.
  std::optional<Rational> pathKnee;
  std::vector<ir::KernelId> pathNext;
  /// Why a faster group would save next to nothing, as a clause; empty if it would save something.
  std::string flat;
  /// Whether all breaks were looked for.
  bool isComplete = true;

  /// Why the times are worth little, as a clause; empty for no reason.
  std::string caution;

  friend bool operator==(const Curve&, const Curve&) = default;
};

/// The curve of a group of the predictor; `others` are those that may limit next. Cost: 11 predictions and two for each
/// other group; of a replay also those that look for breaks. Precondition: the cover is timed.
Curve curveOf(size_t group, const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
              const GroupTimesPredictor& times, const std::vector<size_t>& others);

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

}  // namespace amdahlc
