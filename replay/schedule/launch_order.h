/// The events of each stream in the order in which they were launched, as far as calls have been made.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "replay/schedule/run_calls.h"

namespace amdahlc::schedule {

/// A walk over the calls of a run. Events without a launch in the trace were launched before it began: they count by
/// their starts, in front of all others of their stream.
class LaunchOrder {
 public:
  explicit LaunchOrder(const RunCalls& calls);

  /// All calls before this one have been made.
  void advanceTo(CallIndex call);
  /// Of all events that have been launched, the one that ends last; kNoEvent if there is none, as for the next. Of
  /// those without a launch only those that start by `byNs` count.
  EventIndex lastToEnd(int64_t byNs) const { return laterEnd(lastToEnd_, lastUnlaunched(unlaunched_, byNs)); }
  EventIndex lastToEnd(StreamIndex stream, int64_t byNs) const {
    return laterEnd(streams_[stream].lastToEnd, lastUnlaunched(streams_[stream].unlaunched, byNs));
  }
  /// The event of the stream that was launched last and had ended by `byNs`.
  EventIndex lastEndedBy(StreamIndex stream, int64_t byNs) const;
  /// The event of the stream that was launched last before `call`; of those without a launch, the last that had ended
  /// by `byNs`.
  EventIndex lastBefore(StreamIndex stream, CallIndex call, int64_t byNs) const;
  /// The event of the stream that was launched `places` before the next one; of those with a launch.
  EventIndex launchedAhead(StreamIndex stream, uint32_t places) const {
    const auto& launched = streams_[stream].launched;
    return launched.size() < places ? kNoEvent : launched[launched.size() - places].second;
  }

 private:
  /// In order of start, each with the event that ends last of it and those before.
  using Unlaunched = std::vector<std::pair<int64_t, EventIndex>>;
  struct Stream {
    /// In the order of their calls.
    std::vector<std::pair<CallIndex, EventIndex>> launched;
    /// Ends in ascending order, each of the event launched last of those that ended by then.
    std::vector<std::pair<int64_t, EventIndex>> ended;
    /// The same of events without a launch.
    std::vector<std::pair<int64_t, EventIndex>> unlaunchedEnded;
    Unlaunched unlaunched;
    EventIndex lastToEnd = kNoEvent;
  };
  EventIndex laterEnd(EventIndex a, EventIndex b) const;
  EventIndex lastUnlaunched(const Unlaunched& events, int64_t byNs) const;
  void addEnd(std::vector<std::pair<int64_t, EventIndex>>& ended, EventIndex event) const;

  const RunCalls& calls_;
  CallIndex next_ = 0;
  std::vector<Stream> streams_;
  Unlaunched unlaunched_;
  EventIndex lastToEnd_ = kNoEvent;
};

}  // namespace amdahlc::schedule
