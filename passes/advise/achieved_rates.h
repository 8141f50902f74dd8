/// How fast the kernels of a run work, at best: what a kernel that is not there yet will likely reach.
#pragma once

#include <map>
#include <optional>

#include "ir/facets/timed.h"
#include "passes/roofline/roofline_analysis.h"

namespace amdahlc {

/// The highest rates of kernels that take at least a thousandth of busy time, from measured times and the work that is
/// known of them. Shorter ones say little: their times are those of launching, and their data is in caches.
class AchievedRates {
 public:
  /// No rates without roofs.
  AchievedRates(const ir::TimedFacet& timed, const RooflineAnalysis* roofline);

  /// Of one run of a kernel with this work, in ns: the longest of its bytes, its products and its other operations. The
  /// rates of bytes and of other operations are those of kernels without products; most of these wait for memory, so
  /// that one after the other would count the same time twice. nullopt if the work is not known, or if no kernel tells
  /// a rate that it needs.
  std::optional<double> ns(const KernelWorkOf& work) const;
  /// Of traffic alone.
  std::optional<double> bytesNs(int64_t bytes) const;

 private:
  /// Per ns; 0 if no kernel tells.
  std::map<ir::ElementType, double> matrixFlops_;
  double vectorFlops_ = 0, bytes_ = 0;
};

}  // namespace amdahlc
