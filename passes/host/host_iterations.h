/// The iterations of host events.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "passes/host/operator_nesting.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

/// Where marks of the trace enclose iterations, or where there is one only, events belong to them as the timeline says.
/// Iterations that were found by a repeated sequence of launches have no extent on the host: there an iteration lasts
/// from the start of the first operator that launches its work to that of the next iteration, the last one to the end
/// of its launches.
class HostIterations {
 public:
  HostIterations(const Timeline& timeline, const OperatorNesting& nesting);

  /// kNoIteration outside of all iterations.
  int32_t of(HostEventId event) const;
  /// Of a selected iteration.
  bool isSelected(HostEventId event) const;

 private:
  struct Begin {
    int64_t ns;
    int32_t iteration;
  };
  const Timeline& timeline_;
  /// Ascending; empty where the timeline knows the iterations.
  std::vector<Begin> begins_;
  int64_t endNs_ = std::numeric_limits<int64_t>::min();
};

}  // namespace amdahlc
