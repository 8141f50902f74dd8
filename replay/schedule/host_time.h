/// How long stretches of a thread's time take if parts of it are faster or slower.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "replay/schedule/run_calls.h"
#include "support/rational.h"

namespace amdahlc::schedule {

/// A stretch of a thread's measured time with a factor of its own (new time / old time).
struct HostStretch {
  ThreadIndex thread;
  int64_t startNs, endNs;
  Rational factor;
};

/// The time in operators of these names, each with its factor; of nested ones the outermost counts.
std::vector<HostStretch> operatorStretches(const RunCalls& calls,
                                           const std::map<std::string, Rational, std::less<>>& operators);

/// The names of the operators on threads with calls; distinct, sorted.
std::vector<std::string> operatorNames(const RunCalls& calls);

/// The host's time under factors: one for all of it, and others for stretches.
class HostTime {
 public:
  /// Stretches may be in any order. Where one is, its factor counts instead of `factor`; where several are, the
  /// product of theirs.
  HostTime(const Rational& factor, const std::vector<HostStretch>& stretches);

  /// How long the thread's measured time from `fromNs` to `toNs` takes; 0 if it is not positive. The times of parts
  /// sum to that of the whole: they are differences of moments that are rounded.
  int64_t between(ThreadIndex thread, int64_t fromNs, int64_t toNs) const;

 private:
  Rational factor_;
  /// By thread and start; they do not overlap.
  std::vector<HostStretch> stretches_;
};

}  // namespace amdahlc::schedule
