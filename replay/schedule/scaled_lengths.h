/// Lengths of time under factors, in whole nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc::schedule {

/// How long a stretch of time takes under a factor (new time / old time): the difference of its two moments, each
/// scaled and rounded to the nearest nanosecond, half up. So the times of parts sum to that of the whole. The moments
/// themselves may be beyond 64 bits; precondition: the difference is not.
int64_t scaledBetween(int64_t fromNs, int64_t toNs, const Rational& factor);
/// `ns` times `factor`, rounded in the same way.
inline int64_t scaled(int64_t ns, const Rational& factor) { return scaledBetween(0, ns, factor); }

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
