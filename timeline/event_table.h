/// All events of a trace, of host and devices, in one table while a timeline is built.
///
/// Rows are sorted by (start, longer first, outer kind first, the recorder's own order, file order), so that a row is
/// its rank in time.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "support/string_pool.h"
#include "timeline/timeline.h"

namespace amdahlc {

using Row = uint32_t;
inline constexpr Row kNoRow = std::numeric_limits<Row>::max();

struct EventTable {
  StringPool strings;
  std::vector<Track> tracks;
  /// False: leaf CPU operators are the device work.
  bool hasDevice = true;

  // One entry per event.
  std::vector<EventKind> kind;
  std::vector<int64_t> startNs;
  std::vector<int64_t> durationNs;
  std::vector<Symbol> name;
  std::vector<uint32_t> track;
  /// -1 if there is none.
  std::vector<int64_t> correlation;
  /// Host: the innermost enclosing operator, frame or runtime call of the same thread.
  std::vector<Row> parent;
  /// Device work: the runtime call that launched it; a leaf operator: itself.
  std::vector<Row> launch;
  /// Device work: the innermost framework operator around the launch.
  std::vector<Row> launchOp;
  /// Index into `iterations`, by the launch; kNoIteration outside all.
  std::vector<int32_t> iteration;
  /// Counts as an event of the run: kernel, copy, set; without a device a leaf CPU operator.
  std::vector<bool> deviceWork;
  /// Into launchFacts (device) or operatorFacts (operators); kNoFacts for none.
  std::vector<uint32_t> factsIndex;
  std::vector<LaunchFacts> launchFacts;
  std::vector<OperatorFacts> operatorFacts;

  std::vector<Iteration> iterations;
  std::vector<Timeline::Problem> problems;

  size_t size() const { return kind.size(); }
  std::string_view text(Symbol symbol) const { return strings.text(symbol); }
  int64_t endNs(Row row) const { return startNs[row] + durationNs[row]; }
  bool isDeviceKind(Row row) const {
    return kind[row] == EventKind::Kernel || kind[row] == EventKind::Copy || kind[row] == EventKind::Set;
  }
  /// The top-level module frame around the launch; kNoRow without one.
  Row topLevelModuleFrame(Row row) const;
  /// Adds to the count of a named problem; no effect if `count` is 0.
  void addProblem(std::string_view problem, int64_t count, std::string_view what);
};

}  // namespace amdahlc
