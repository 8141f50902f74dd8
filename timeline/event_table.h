/// All events of a trace, of host and devices, in one table while a timeline is built.
///
/// Rows are sorted by (start, longer first, outer kind first, the recorder's own order, file order), so that a row is
/// its rank in time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "support/string_pool.h"
#include "timeline/timeline.h"

namespace amdahlc {

using Row = uint32_t;
inline constexpr Row kNoRow = std::numeric_limits<Row>::max();

struct EventTable : EventColumns {
  // One entry per event.
  /// Host: the innermost enclosing operator, frame or runtime call of the same thread.
  std::vector<Row> parent;
  /// Device work: the runtime call that launched it; a leaf operator: itself.
  std::vector<Row> launch;
  /// Device work: the innermost framework operator around the launch.
  std::vector<Row> launchOp;
  /// Counts as an event of the run: kernel, copy, set; without a device a leaf CPU operator.
  std::vector<bool> deviceWork;
  /// The facts of framework operators, indexed by `factsIndex`.
  std::vector<OperatorFacts> operatorFacts;

  bool isDeviceKind(Row row) const { return info(kind[row]).deviceWork; }
  /// The top-level module frame around the launch; kNoRow without one.
  Row topLevelModuleFrame(Row row) const;
};

}  // namespace amdahlc
