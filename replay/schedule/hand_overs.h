/// Where one thread resumes because another one came to rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "replay/schedule/run_calls.h"
#include "replay/timeline/interval.h"

namespace amdahlc::schedule {

/// A thread pauses, and resumes after another one came to rest.
struct HandOver {
  /// When the thread resumes.
  int64_t resumesNs;
  ThreadIndex from;
  /// When the other thread ended what it did last; not after `resumesNs`.
  int64_t restsNs;
};

/// Threads that make calls of `RunCalls` hand over to one another. A hand-over is a pause of 20 us or more between
/// operators and calls of a thread, at whose end another thread rests that ended its own ones after the pause began.
/// Of several, the last to end. A thread that asks whether work is done counts as pausing, unless it asks until it is.
///
/// That threads wake each other is a guess from times; flows between forward and backward operators are not better, as
/// their lags reach 75 ms.
class HandOvers {
 public:
  explicit HandOvers(const RunCalls& calls);

  /// In order of time.
  std::span<const HandOver> of(ThreadIndex thread) const { return ofThread_[thread]; }

 private:
  std::vector<std::vector<HandOver>> ofThread_;
};

}  // namespace amdahlc::schedule
