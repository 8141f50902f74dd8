/// The critical path over host and device by the definition of HolisticTraceAnalysis 0.5.0 (`hta`), with its launch
/// edges of no weight. It is not wall time: edges that stand for an order only weigh nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/rational.h"
#include "support/string_pool.h"
#include "timeline/interval.h"
#include "timeline/timeline.h"

namespace amdahlc::schedule {

/// What part of a run counts: what starts on the host while an event lasts, with its device work.
struct HtaScope {
  /// Part of the name of that event; empty for the whole run.
  std::string annotation;
  /// Which of several such events, from 0, in the order of the file.
  size_t instance = 0;
  /// Instead of an annotation: its extent, in nanoseconds.
  std::optional<TimeInterval> extent = std::nullopt;
  friend bool operator==(const HtaScope&, const HtaScope&) = default;
};

/// Time on the path that belongs to one event, or is in front of one.
struct HtaPiece {
  enum class Kind : uint8_t {
    /// Of an operator or a call.
    Host,
    /// Of a device event.
    Device,
    /// Between the event before it on the stream and this device event.
    Gap,
    /// Between the start of the call that launches it and this device event.
    Launch,
  };
  Kind kind = Kind::Host;
  /// Of the event, in the strings of the timeline.
  Symbol name;
  /// Measured, in microseconds; more than 0.
  int64_t us = 0;
  friend bool operator==(const HtaPiece&, const HtaPiece&) = default;
};

/// The longest path. Its parts are as measured, in whole microseconds.
struct HtaPath {
  /// `hostUs` + `gapUs` + `launchUs` + `deviceUs` times the factor of the device.
  Rational lengthUs;
  int64_t hostUs = 0;
  int64_t deviceUs = 0;
  int64_t gapUs = 0;
  int64_t launchUs = 0;
  /// Starts and ends of events on the path, and the events that they are of.
  size_t nodes = 0;
  size_t events = 0;
  /// How many waits of a call or a device event for a device event there are in the graph.
  size_t waitEdges = 0;
  /// From the start of the path to its end. Neighbours differ in kind or name.
  std::vector<HtaPiece> pieces;
  friend bool operator==(const HtaPath&, const HtaPath&) = default;
};

/// Why there is no path.
enum class HtaFault : uint8_t {
  None,
  /// The run was read without them, or has none.
  NoHostEvents,
  /// The recorder measured no starts.
  NoStarts,
  /// Too few events have names with the text of the scope.
  NoAnnotation,
  /// Nothing in the scope follows anything else.
  NoEdges,
  /// Events cross on their threads, or the clocks disagree.
  Cycle,
  /// More nodes or edges than can be counted.
  TooLarge,
  /// The length does not fit 64 bits.
  TooLong,
};

/// As a clause; empty for `None`.
std::string_view text(HtaFault fault);

struct HtaResult {
  /// nullopt with a fault.
  std::optional<HtaPath> path;
  HtaFault fault = HtaFault::None;
  friend bool operator==(const HtaResult&, const HtaResult&) = default;
};

/// Takes O(n log n) for n events, streams apart: a wait for the whole device depends on each of them. `deviceFactor`
/// multiplies the length of every device event (1/2: twice as fast), before the longest path is sought.
HtaResult htaPath(const Timeline& timeline, const HtaScope& scope, const Rational& deviceFactor = {1, 1});

}  // namespace amdahlc::schedule
