/// Runs without a device of which one thread does all: operators, and what is between them, follow one another, so that
/// arithmetic tells what the run takes without a part of the host's time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/schedule/changes.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::schedule {

/// A stretch of the thread's time in which no operator runs.
struct TimeBetween {
  TimeInterval interval;
  int32_t iteration;
  /// Of the events of its iteration in order of start, those before it: its place, by which it is the same one in other
  /// iterations.
  size_t place;
  /// Between the first event and the last one of its iteration, and so in wall time; else only in the window.
  bool isOfWall;
  friend bool operator==(const TimeBetween&, const TimeBetween&) = default;
};

class OneThread {
 public:
  /// nullopt if the run has a device, if its trace has no starts or was not given, or if several threads of the
  /// selected iterations have operators, functions or annotations: nobody knows which of them waits for which.
  /// `timeline` must outlive it.
  static std::optional<OneThread> of(const Timeline& timeline);

  /// Of all iterations, selected or not, in order of time.
  const std::vector<TimeBetween>& between() const { return between_; }
  /// As `namesOfHostWork`.
  std::vector<std::string> names() const;

  /// What changes of the host make of the run.
  struct Changed {
    /// Those of events that are in stretches with a name of the changes; 1 for others.
    std::vector<Rational> events;
    /// By how much the time between operators of the reported iterations is shorter, of wall time and of the window.
    int64_t wallSavedNs = 0, windowSavedNs = 0;
  };
  /// Of `host`, `named` and `stretches`, whose thread is 0; operators keep their time unless a stretch is around them.
  Changed changed(const Changes& changes) const;
  friend bool operator==(const OneThread& a, const OneThread& b) {
    return a.track_ == b.track_ && a.between_ == b.between_;
  }

 private:
  explicit OneThread(const Timeline& timeline, uint32_t track) : timeline_(&timeline), track_(track) {}
  void findBetween();
  ThreadIndex threadOf(uint32_t track) const { return track == track_ ? 0 : kNoTrack; }

  const Timeline* timeline_;
  uint32_t track_;
  std::vector<TimeBetween> between_;
};

}  // namespace amdahlc::schedule
