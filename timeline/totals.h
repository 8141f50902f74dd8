/// What a timeline says by itself: totals of the selected iterations, by kernel name and by stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timeline/timeline.h"

namespace amdahlc {

/// One iteration's times; zero where it has no device work.
struct IterationTimes {
  int64_t events = 0;
  int64_t busyNs = 0;               ///< union of the intervals of its events
  int64_t wallNs = 0;               ///< last end - first start
  int64_t deviceNs = 0;             ///< sum of durations
  std::optional<int64_t> windowNs;  ///< of the enclosing annotation or step
  int64_t idleNs() const { return wallNs - busyNs; }
};

/// The times of every iteration, selected or not, in the order of `iterations`.
std::vector<IterationTimes> iterationTimes(const Timeline& timeline);

/// A quantity over the selected iterations.
struct TimeStatistics {
  int64_t meanNs = 0;  ///< rounded half to even
  int64_t totalNs = 0;
  int64_t medianNs = 0;
  double standardDeviationNs = 0;
};

struct TimelineTotals {
  struct Row {
    std::string name;
    int64_t events = 0;
    int64_t deviceNs = 0;  ///< sum of durations
    int64_t busyNs = 0;    ///< union of intervals, taken per iteration
  };

  int64_t events = 0;
  TimeStatistics busy, wall, idle, device;
  std::optional<TimeStatistics> window;  ///< none where a selected iteration has no enclosing annotation
  std::vector<Row> kernels;              ///< by full name; most device time first, then by name
  std::vector<Row> streams;              ///< by `process/thread`, a device's first; without a device the host's threads
};

TimelineTotals timelineTotals(const Timeline& timeline);

}  // namespace amdahlc
