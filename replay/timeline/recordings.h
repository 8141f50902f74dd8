/// Several recordings of one run as one timeline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// The time between the last event of a recording and the first one of the next. No event of one runs in the other, and
/// no wait is long enough to reach across: calls end at most 50 us after what they waited for.
inline constexpr int64_t kBetweenRecordingsNs = 1'000'000;

/// Puts recordings of a run one behind the other. Events of different recordings never overlap, and nothing relates
/// them but their names, their launch facts and their streams. Linear in the number of events.
class RecordingJoiner {
 public:
  explicit RecordingJoiner(Timeline first) : run_(std::move(first)) {}

  /// Adds a recording behind the others. Returns why it cannot be one of the same run, as a sentence for users; empty
  /// if it can. Sums of times may then be beyond the limits (`timeDefect`). Preconditions: it was read of a trace, and
  /// no earlier call returned a reason.
  std::string add(Timeline recording);
  Timeline finish() && { return std::move(run_); }

 private:
  void begin();
  void addTables(Timeline& recording);
  void addEvents(const Timeline& recording);
  void addHostEvents(Timeline& recording);

  Timeline run_;
  /// The latest time, and the lowest numbers that no event has.
  int64_t endNs_ = 0, nextCorrelation_ = 0, nextSequence_ = 0;
  /// The largest of autograd's numbers of threads so far.
  int32_t forwardThreads_ = 0;
  /// In `launchFacts`.
  std::map<std::array<int64_t, 9>, uint32_t> placeOfFacts_;
  // Of the recording that is added: by how much it is later, and the new places of what it has.
  int64_t shiftNs_ = 0;
  std::vector<Symbol> symbols_;
  std::vector<uint32_t> tracks_, facts_;
  uint32_t iterations_ = 0;
};

/// A walk along times of a run that ascend.
class RecordingWalk {
 public:
  explicit RecordingWalk(const Timeline& timeline) : recordings_(timeline.recordings) {}

  /// Whether a time is of a later recording than the one before it.
  bool enters(int64_t ns) {
    const size_t before = at_;
    while (at_ + 1 < recordings_.size() && recordings_[at_ + 1].startNs <= ns) ++at_;
    return at_ != before;
  }

 private:
  std::span<const Recording> recordings_;
  size_t at_ = 0;
};

}  // namespace amdahlc
