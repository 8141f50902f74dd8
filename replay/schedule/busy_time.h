/// Busy time of a run under new times, by arithmetic: nothing starts earlier or later.
///
/// Busy time is divided into segments in which the same events are active. Each segment gets the largest factor (new
/// time / old time) of its events.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc::schedule {

/// The busy time of the reported iterations if each event has this factor. Cost: events, times the
/// logarithm of their number.
ScaledSum busyTime(const Timeline& timeline, std::span<const Rational> factors);

/// Events that always have one factor are a class.
using EventClass = uint32_t;

/// The same for many predictions: what is active when is found once.
class BusySegments {
 public:
  /// By event its class, and a factor that it always has.
  BusySegments(const Timeline& timeline, std::span<const EventClass> classes, std::span<const Rational> factors);

  /// `busyTime` with the factor of each class besides, rounded. Cost: sets of classes that are active together.
  int64_t busyNs(std::span<const Rational> factors) const;

 private:
  /// A class, and the largest factor of its events.
  using Member = std::pair<EventClass, Rational>;
  /// How long each class is active alone, with its factors.
  std::vector<ScaledSum> alone_;
  /// How long exactly these are active, two or more.
  std::vector<std::pair<std::vector<Member>, int64_t>> together_;
};

}  // namespace amdahlc::schedule
