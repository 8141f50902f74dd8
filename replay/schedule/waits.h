/// Who waits for whom: events for events of other streams, and calls for events.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "replay/schedule/run_calls.h"
#include "support/compact.h"
#include "support/compressed_rows.h"

namespace amdahlc::schedule {

/// How long after its end a call may still have waited for something: the clocks of host and device differ, by 8 us in
/// a trace of an MI300.
inline constexpr int64_t kClockSkewNs = 50'000;

/// What a call waits for.
struct CallWait {
  enum class Kind : uint8_t {
    /// For nothing.
    None,
    /// For the end of all work that was launched before.
    Device,
    /// The same, of one stream.
    Stream,
    /// For the end of one event.
    Event,
    /// For the end of the copy that it launches.
    OwnCopy,
    /// For the start of an event, which makes room in the queue of launches.
    Queue,
  };
  Kind kind = Kind::None;
  StreamIndex stream = kNoTrack;
  /// Of `Event`, `OwnCopy` and `Queue`: what it waits for. Of others in the measured run: what ended last of it.
  /// kNoEvent if there was nothing to wait for.
  EventIndex event = kNoEvent;
  /// When that ended, or started. Meaningless without an event.
  int64_t releaseNs = 0;
  /// Whether the call waited in the measured run: it was released after it began.
  bool waited = false;
  /// From there to its end, if it waited; may be negative.
  int64_t returnNs = 0;
};

/// The waits of a run, from its calls and from what the trace states of them (`WaitFacts`).
///
/// Without such statements, a wait of a stream concerns the next launch of its thread, and is for the event of each
/// other stream that was launched last before the call, of those that had ended when the waiting event started. The
/// measured order decides what is waited for, and no measured time. In the same way the first node of a graph in each
/// stream, but the first of all, waits for the node that had ended last; so does a later one that starts more than 1 us
/// after the one before it in its stream, and at most 5 us after that node.
class Waits {
 public:
  explicit Waits(const RunCalls& calls);

  /// The events whose ends an event waits for, besides those before it in its stream.
  std::span<const EventIndex> sources(EventIndex event) const { return sources_[event]; }
  const CallWait& of(CallIndex call) const { return ofCall_[call]; }
  /// The calls of a thread that waited, in order.
  std::span<const CallIndex> ofThread(ThreadIndex thread) const { return waited_[thread]; }
  /// How many events of a stream may be launched and not have started; nullopt if there is no limit.
  std::optional<uint32_t> queueLength() const { return queueLength_; }
  /// Whether the event is a copy that starts and, as far as is known, ends while its call lasts.
  bool isBlockingCopy(EventIndex event) const { return isBlockingCopy_[event]; }
  /// Whether the event, the first of its launch, started while the call still had much to do: a blocking copy, or a
  /// kernel whose launch returned late, as a first one does that loads code.
  bool startsInsideLaunch(EventIndex event) const { return startsInside_[event]; }
  /// The median length of the calls with the name of this launch.
  int64_t medianLengthNs(CallIndex launch) const { return medianLengthNs_[launch]; }
  /// Calls that began to wait for what ended long after them, so that the wait is not understood.
  int64_t contradictions() const { return contradictions_; }

 private:
  void findStartsInsideLaunches();
  void findMedianLengths();
  void findQueueLength();
  /// Pairs of an event and one whose end it waits for.
  using Sources = std::vector<std::pair<EventIndex, EventIndex>>;
  void findStreamWaits(Sources& sources) const;
  void findWaitsOfGraphs(Sources& sources) const;
  void findReleasesOfUnlaunched(Sources& sources) const;
  void findCallWaits();
  /// What the trace states of the wait of a call; null if it states nothing.
  const WaitFacts* statedOf(const Call& call) const;

  const RunCalls& calls_;
  /// By correlation; of several the first.
  CompactMap<int64_t, const WaitFacts*> stated_;
  CompressedRows<EventIndex, EventIndex> sources_;
  std::vector<CallWait> ofCall_;
  CompressedRows<ThreadIndex, CallIndex> waited_;
  std::optional<uint32_t> queueLength_;
  std::vector<bool> isBlockingCopy_, startsInside_;
  std::vector<int64_t> medianLengthNs_;
  int64_t contradictions_ = 0;
};

}  // namespace amdahlc::schedule
