/// The forward passes of a run, and groups of those that do the same. docs/forwards.md defines them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// The first and the last event of a forward, in order of launch.
struct ForwardExtent {
  EventIndex first = 0, last = 0;
  friend bool operator==(const ForwardExtent&, const ForwardExtent&) = default;
};

/// When the host ran a forward. Events of its iteration that are launched in this time are of the forward; where
/// forwards of several threads overlap, only those that its own thread launches.
struct ForwardSpan {
  /// Index into `Timeline::iterations`.
  int32_t iteration = 0;
  /// With its end. nullopt: the whole iteration, with events whose launch is not in the trace.
  std::optional<TimeInterval> host = std::nullopt;
  /// The thread that calls the model, whose operators tell the shapes; nullopt if it is unknown.
  std::optional<uint32_t> track = std::nullopt;
};

/// Each selected iteration is one forward.
std::vector<ForwardSpan> spansOfIterations(const Timeline& timeline);
/// By iteration the extent of those of the events whose launch is known; nullopt without one. Precondition: the
/// timeline has host facts.
std::vector<std::optional<ForwardExtent>> extentsByIteration(const Timeline& timeline,
                                                             const std::vector<EventIndex>& events);
/// From the outermost operator around the launch of the first event to that of the last one. An operator around
/// launches of two forwards is around neither. Precondition: the timeline has host facts. O(n log n).
std::vector<ForwardSpan> spansOf(const Timeline& timeline, const std::vector<ForwardExtent>& extents);
/// The calls of the outermost module that launched at least half of the device time of all modules in selected
/// iterations; those of one thread that overlap are one. Empty if there is no such module. Precondition: the timeline
/// has host facts. O(n log n) in the events.
std::vector<ForwardSpan> spansOfModule(const Timeline& timeline);

/// Which forwards do the same.
struct ForwardClasses {
  /// By forward.
  std::vector<uint32_t> of;
  /// By class, in order of first occurrence: `prefill`, `decode`; distinct.
  std::vector<std::string> names;
};

/// By the shapes of operands: forwards are of one class if their outermost operators are the same, in order, and the
/// operands have the same types and shapes but for the length of a cache. That is so if all dimensions that differ do
/// so by one amount, and none of them is of a product with a weight, which has as many rows as the forward has tokens.
/// Without shapes there is one class. Precondition: the spans are in order. O(n log n) in the operators, times the
/// number of classes that differ only outside of such products.
ForwardClasses classesByShapes(const Timeline& timeline, const std::vector<ForwardSpan>& spans);

/// A forward with its times.
struct Forward {
  /// Index into the groups.
  uint32_t group = 0;
  /// In order of start.
  std::vector<EventIndex> events;
  /// The length of the union of its events; of events without starts the sum of their durations.
  int64_t busyNs = 0;
  /// From the start of its first event to the end of its last one; nullopt if the events have no starts.
  std::optional<int64_t> wallNs;
  friend bool operator==(const Forward&, const Forward&) = default;
};

/// Forwards of one class.
struct ForwardGroup {
  std::string name;
  /// Ascending indices of forwards.
  std::vector<uint32_t> members;
  friend bool operator==(const ForwardGroup&, const ForwardGroup&) = default;
};

/// Only forwards with device events in selected iterations count.
struct ForwardGroups {
  static constexpr uint32_t kNone = 0xffffffffu;
  /// In order of time.
  std::vector<Forward> forwards;
  /// In order of first occurrence.
  std::vector<ForwardGroup> groups;
  /// By event its group; `kNone` outside of forwards.
  std::vector<uint32_t> ofEvents;

  /// Busy time of a forward of the group: the median, of an even number the lower one, or the mean, as the timeline's
  /// average says. The same for wall time; nullopt if the events have no starts.
  int64_t busyNs(const Timeline& timeline, const ForwardGroup& group) const;
  std::optional<int64_t> wallNs(const Timeline& timeline, const ForwardGroup& group) const;

  friend bool operator==(const ForwardGroups&, const ForwardGroups&) = default;
};
/// The forwards in these spans. They are unknown if an event was launched in the time of several of them, and nothing
/// tells of which of them it is. O(n log n) in the spans and events, times the number of threads that call the model.
Known<ForwardGroups> groupForwards(const Timeline& timeline, const std::vector<ForwardSpan>& spans,
                                   const ForwardClasses& classes);

}  // namespace amdahlc
