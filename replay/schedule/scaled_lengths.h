/// Lengths of time under factors, in whole nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc::schedule {

/// `ns` times `factor` (new time / old time), rounded to the nearest nanosecond, half up.
int64_t scaled(int64_t ns, const Rational& factor);

/// New lengths of parts of a track, such as its events: the remainder of each is carried to the next one, whatever its
/// factor. So those of a track sum to its exact new time, rounded once, and many short lengths lose no more than a
/// long one.
class ScaledLengths {
 public:
  int64_t next(int64_t ns, const Rational& factor, uint32_t track);

 private:
  /// By track, what is not yet in its lengths, or in advance.
  std::map<uint32_t, int64_t> remainders_;
};

/// The new lengths of events, which have a factor each. Nothing is carried to a selected event from another one, so
/// that the time of the selected iterations is right by itself.
std::vector<int64_t> scaledDurations(const Timeline& timeline, const std::vector<Rational>& factors);

}  // namespace amdahlc::schedule
