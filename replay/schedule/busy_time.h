/// Busy time of a run under new times, by arithmetic: nothing starts earlier or later.
///
/// Busy time is divided into segments in which the same events are active. Each segment gets the largest factor (new
/// time / old time) of its events, and counts as a part of the track of that event (`ScaledLengths`).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc::schedule {

/// The busy time of the selected iterations if each event has this factor. Cost: events, times the
/// logarithm of their number.
int64_t busyNs(const Timeline& timeline, std::span<const Rational> factors);
/// The same as it is before it is rounded.
double unroundedBusyNs(const Timeline& timeline, std::span<const Rational> factors);

/// Events that always have one factor are a class.
using EventClass = uint32_t;

/// The same for many predictions: what is active when is found once.
class BusySegments {
 public:
  /// By event its class.
  BusySegments(const Timeline& timeline, std::span<const EventClass> classes);

  /// `busyNs` with the factor of each class. Cost: sets of classes that are active together.
  int64_t busyNs(std::span<const Rational> factors) const;

 private:
  /// A class, and the last of its tracks.
  using Member = std::pair<EventClass, uint32_t>;
  /// How long exactly these are active.
  std::vector<std::pair<std::vector<Member>, int64_t>> lengths_;
};

}  // namespace amdahlc::schedule
