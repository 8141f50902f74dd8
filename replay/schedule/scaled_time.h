/// Lengths of time under factors, in whole nanoseconds: of events, and of stretches of a thread's time of which parts
/// are faster or slower.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "replay/schedule/run_calls.h"
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

/// The new lengths of events, which have a factor each. Nothing is carried to an event of a reported iteration from one
/// of another, so that the time of the reported iterations is right by itself.
std::vector<int64_t> scaledDurations(const Timeline& timeline, const ReportedIterations& reported,
                                     const std::vector<Rational>& factors);

/// A stretch of a thread's measured time with a factor of its own (new time / old time).
struct HostStretch {
  ThreadIndex thread;
  int64_t startNs, endNs;
  Rational factor;
};

/// The time in operators, functions, modules, annotations and calls of the device's runtime of these names, each with
/// its factor; of nested ones the outermost counts. A call that waits still does.
std::vector<HostStretch> namedStretches(const RunCalls& calls,
                                        const std::map<std::string, Rational, std::less<>>& factors);

/// The same of a run without calls: `threadOf` maps tracks to less than `threads`, or to kNoTrack for those that do not
/// count.
std::vector<HostStretch> namedStretches(const Timeline& timeline, size_t threads,
                                        const std::function<ThreadIndex(uint32_t)>& threadOf,
                                        const std::map<std::string, Rational, std::less<>>& factors);

/// The names that `namedStretches` knows: of what runs on threads with calls; distinct, sorted.
std::vector<std::string> namesOfHostWork(const RunCalls& calls);
std::vector<std::string> namesOfHostWork(const Timeline& timeline,
                                         const std::function<ThreadIndex(uint32_t)>& threadOf);

/// Whether names of such events are ones that `namedStretches` knows.
bool isNamedWork(EventKind kind);

/// The host's time under factors: one for all of it, and others for stretches.
class HostTime {
 public:
  /// Stretches may be in any order. Where one is, its factor counts instead of `factor`; where several are, the
  /// product of theirs.
  HostTime(const Rational& factor, const std::vector<HostStretch>& stretches);

  /// How long the thread's measured time from `fromNs` to `toNs` takes; 0 if it is not positive. The times of parts
  /// sum to that of the whole: they are differences of moments that are rounded.
  int64_t between(ThreadIndex thread, int64_t fromNs, int64_t toNs) const {
    if (toNs <= fromNs) return 0;
    return isMeasured_ ? toNs - fromNs : changedBetween(thread, fromNs, toNs);
  }

 private:
  int64_t changedBetween(ThreadIndex thread, int64_t fromNs, int64_t toNs) const;

  Rational factor_;
  /// By thread and start; they do not overlap.
  std::vector<HostStretch> stretches_;
  /// Nothing changes.
  bool isMeasured_;
};

}  // namespace amdahlc::schedule
