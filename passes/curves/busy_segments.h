/// Busy time by what is active: computed once for many predictions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "support/rational.h"
#include "timeline/timeline.h"

namespace amdahlc {

/// Kernels that always have one factor are a class; events without a kernel are one, too.
using KernelClass = uint32_t;

/// The busy time of a cover's run over its selected iterations, by the set of classes that are active.
class BusySegments {
 public:
  /// One sweep over the events. Precondition: the cover is bound.
  BusySegments(const Timeline& timeline, const ir::Cover& cover, const IdVector<ir::KernelId, KernelClass>& classes,
               KernelClass unbound);

  /// The same as `predict` with the factor of each class: each segment takes its largest factor. O(sets of classes).
  double busyNs(std::span<const Rational> factors) const;

 private:
  /// Ascending, and their busy time.
  std::vector<std::pair<std::vector<KernelClass>, int64_t>> lengths_;
};

}  // namespace amdahlc
