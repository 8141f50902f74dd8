/// Totals of the selected iterations of a timeline, by kernel name and by stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/timeline/interval.h"
#include "replay/timeline/timeline.h"
#include "support/compressed_rows.h"
#include "support/statistics.h"

namespace amdahlc {

/// Times of one iteration; zero if it has no device work.
struct IterationTimes {
  int64_t events = 0;
  /// Union of the intervals of its events.
  int64_t busyNs = 0;
  /// Last end - first start; nullopt if the events have no starts.
  std::optional<int64_t> wallNs = 0;
  /// Sum of durations.
  int64_t deviceNs = 0;
  /// Of the enclosing annotation or step.
  std::optional<int64_t> windowNs;
  /// As in `Iteration`.
  std::optional<int64_t> spillInNs;
  std::optional<int64_t> idleNs() const { return wallNs ? std::optional(*wallNs - busyNs) : std::nullopt; }
};

/// The times of every iteration, selected or not, in the order of `iterations`.
std::vector<IterationTimes> iterationTimes(const Timeline& timeline);

/// The times of the selected iterations.
std::vector<IterationTimes> selectedIterationTimes(const Timeline& timeline);

using EventsByIteration = CompressedRows<size_t, EventIndex>;
/// Device events by iteration, each in order of start.
EventsByIteration eventsByIteration(const Timeline& timeline);

/// By iteration, from the start of its first event to the end of the last one; empty where there is none, and of
/// iterations that are not reported.
std::vector<TimeInterval> iterationExtents(const Timeline& timeline, const ReportedIterations& reported);

/// The windows of the selected iterations; nullopt if one of them has none, or if no iteration is selected.
std::optional<std::vector<int64_t>> windowsOf(const std::vector<IterationTimes>& selected);

/// The wall times of the selected iterations; nullopt if the events have no starts.
std::optional<std::vector<int64_t>> wallsOf(const std::vector<IterationTimes>& selected);

/// The part of them in which nothing runs; nullopt if the events have no starts.
std::optional<std::vector<int64_t>> idlesOf(const std::vector<IterationTimes>& selected);

/// The device time in each of the selected iterations whose launch is not in the trace; nullopt if it is not known.
std::optional<std::vector<int64_t>> spillInsOf(const std::vector<IterationTimes>& selected);

/// Over the selected iterations.
struct TimelineTotals {
  struct Row {
    std::string name;
    /// Per iteration: of those that are reported, the mean, rounded half to even.
    int64_t events = 0;
    /// Sum of durations.
    int64_t deviceNs = 0;
    /// Union of intervals, taken per iteration.
    TimeStatistics busy;
  };

  int64_t events = 0;
  TimeStatistics busy, device;
  /// Busy time of an iteration if each event has its factor, by its name and place
  /// (`undisturbedFactors`).
  int64_t undisturbedNs = 0;
  /// nullopt if the events have no starts.
  std::optional<TimeStatistics> wall, idle;
  /// nullopt if a selected iteration has no enclosing annotation.
  std::optional<TimeStatistics> window;
  /// Part of `device`: of events whose launch is not in the trace. nullopt if it is not known.
  std::optional<TimeStatistics> spillIn;
  /// By full name; the longest first, then by name.
  std::vector<Row> kernels;
  /// By `process/thread`, a device's first; without a device the host's threads.
  std::vector<Row> streams;
};

TimelineTotals timelineTotals(const Timeline& timeline);

}  // namespace amdahlc
