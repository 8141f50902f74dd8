/// Builds the curve of one group of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/kernel_graph.h"
#include "passes/curves/curve.h"
#include "passes/curves/group_times.h"
#include "passes/curves/path_curve.h"
#include "passes/curves/wall_samples.h"

namespace amdahlc {

/// The speed-ups that every curve has, as factors: from 1 down to 0.
const std::vector<Rational>& standardFactors();

class CurveBuilder {
 public:
  /// `others` are the groups of the predictor that may limit next. All must outlive it. Precondition: the cover is
  /// timed.
  CurveBuilder(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
               const GroupTimesPredictor& times, std::vector<size_t> others);

  /// Cost: 11 predictions and two for each other group; of a replay also those that look for breaks.
  Curve build(size_t group) const;

 private:
  CurvePoint pointAt(size_t group, const Rational& factor, const PathCurve& path) const;
  void addWall(size_t group, const PathCurve& path, Curve& curve) const;
  void addPath(const PathCurve& path, Curve& curve) const;
  /// The group whose speed-up saves most while `group` has this factor; empty if none saves more than is rounded.
  std::string mostSaving(size_t group, const Rational& factor) const;
  double limitNs(std::vector<GroupFactor> factors) const {
    return static_cast<double>(times_.timesUnder(factors).limitNs());
  }

  const ir::Module& module_;
  const ir::Cover& cover_;
  const ir::KernelGraph& graph_;
  const GroupTimesPredictor& times_;
  std::vector<size_t> others_;
  /// What rounding may do to a time.
  double roundingNs_;
};

}  // namespace amdahlc
