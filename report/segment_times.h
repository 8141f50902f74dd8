/// The times of several runs by segments of the model: what one chooses a back end by. docs/comparing-runs.md explains
/// the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/segments.h"
#include "report/comparison/noise.h"
#include "report/report.h"

namespace amdahlc {

/// One quantity of a run, per iteration.
struct ComparedTime {
  TimeStatistics time;
  /// Of which `time` is made: by selected iteration.
  std::vector<int64_t> perIterationNs = {};
  /// The shortest time of its row.
  bool isBest = false;
  /// Against the best; nullopt of the best itself, and where nothing is said: the run is not to be trusted, or a time
  /// is unknown.
  std::optional<comparison::Change> change = std::nullopt;
  /// Over the best time of its row; nullopt where nothing is said, or if that is 0.
  std::optional<double> timesBest = std::nullopt;
  /// The 95 % interval of that, if the noise is known.
  std::optional<comparison::RatioInterval> interval = std::nullopt;
};

/// What a run did of a segment.
struct SegmentCell {
  /// The sum of the durations of the events that are bound there. nullopt if no event is, although there are kernels
  /// that should have launched.
  std::optional<ComparedTime> time;
  /// Iterations in which a kernel has fewer events than in most. Kernels in bodies of control flow do not count: how
  /// often they run depends on data. nullopt if only means are known.
  std::optional<int64_t> failures;
  /// Kernels that should have launched and have no events, so that `time` may not be all of it. 0 if all device time of
  /// the run is explained: then they took none.
  int64_t kernelsWithoutEvents = 0;
  /// Of the run's device time.
  double share = 0;
  /// Whether `time` is all of the segment's time in every iteration. Otherwise it is compared with no other.
  bool isComplete() const { return time && kernelsWithoutEvents == 0 && failures.value_or(0) == 0; }
};

/// A segment in all runs; each list is parallel to `SegmentTable::runs`.
struct SegmentRow {
  /// Into `SegmentTable::segments`.
  size_t segment = 0;
  /// nullopt if the run did nothing there.
  std::vector<std::optional<SegmentCell>> cells;
  /// The time of windows outside of all segments that ended with an event of this segment; nullopt without a window.
  std::vector<std::optional<TimeStatistics>> uncompiledBefore;
};

struct SegmentTotals {
  const RunReport* run = nullptr;
  /// Iterations, or the executions whose means the times are.
  int64_t runs = 0;
  /// The iteration that was left out as warm-up.
  std::optional<std::string> discarded;
  /// Of all segments: the bound time. Compared only if it is complete in all of them.
  ComparedTime compiled;
  /// The window without the events of segments; nullopt without a window.
  std::optional<TimeStatistics> uncompiled;
  /// Part of `uncompiled`: behind the last event.
  std::optional<TimeStatistics> uncompiledAfter;
  /// The sum of both.
  std::optional<ComparedTime> withUncompiled;
  /// Device time of events that belong to no segment.
  TimeStatistics otherDevice;
};

struct SegmentTable {
  const ir::Module* module = nullptr;
  ir::Segments segments;
  /// Those that have times, in the order of the report.
  std::vector<SegmentTotals> runs;
  /// Segments in which a run did or may have done something, in their order.
  std::vector<SegmentRow> rows;
  /// What restricts the comparison, as sentences for users without a period; printable.
  std::vector<std::string> caveats;
};

/// The table refers to `report`.
SegmentTable segmentTable(const Report& report, ir::SegmentChoice choice);

}  // namespace amdahlc
