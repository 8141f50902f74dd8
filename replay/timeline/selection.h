/// What part of a trace counts: which device, which iterations, which window of time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "support/statistics.h"

namespace amdahlc {

/// Which iterations count.
enum class StepSelection : uint8_t {
  /// All but the first, which is warm-up, if there are three or more with device work.
  Auto,
  All,
  /// The trace is one iteration, whatever it marks.
  Whole,
  /// Those with a number of the range.
  Range,
};

/// A stretch of time, from the start of the first event of the trace. `TimelineBuilder` adds that start.
struct TimeWindow {
  int64_t startNs = 0;
  /// Not part of it.
  int64_t endNs = std::numeric_limits<int64_t>::max();
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

struct TraceSelection {
  TraceSelection() = default;
  TraceSelection(StepSelection selection) : steps(selection) {}  // NOLINT(google-explicit-constructor): the usual case

  StepSelection steps = StepSelection::Auto;
  /// Of `Range`, inclusive: the numbers of profiler steps as in their names; of other iterations positions from 0.
  int64_t firstStep = 0;
  int64_t lastStep = 0;
  /// A regular expression: iterations are the annotations whose names it matches somewhere. Empty: see
  /// `findIterations`.
  std::string annotation;
  std::optional<TimeWindow> window;
  /// The id of a device as in the trace; empty for the one with most device time.
  std::string device;
  /// What reports show of the selected iterations.
  Average average = Average::Median;
  friend bool operator==(const TraceSelection&, const TraceSelection&) = default;
};

}  // namespace amdahlc
