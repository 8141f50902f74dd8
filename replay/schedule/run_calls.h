/// The calls of a run that order its device work: launches, waits, and records of events. And the streams and threads
/// on which they act.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replay/runtimes/device_calls.h"
#include "replay/timeline/timeline.h"
#include "support/compressed_rows.h"

namespace amdahlc::schedule {

enum class CallRole : uint8_t;

/// A call of `RunCalls`, in order of start.
using CallIndex = uint32_t;
inline constexpr CallIndex kNoCall = std::numeric_limits<CallIndex>::max();
/// A device stream or a host thread with calls, densely.
using StreamIndex = uint32_t;
using ThreadIndex = uint32_t;
inline constexpr uint32_t kNoTrack = std::numeric_limits<uint32_t>::max();

struct Call {
  HostEventId event;
  DeviceCall meaning;
  ThreadIndex thread;
  int64_t startNs;
  /// Of a call in which another one begins, the start of that one: the rest is time of the host.
  int64_t endNs;
  /// Whether device events are of this call.
  bool launches = false;
  /// Of a call that waits without saying so (`ImplicitWait`): for what, if not for all work of the device, and how long
  /// it takes by itself. Of a run of queries, `event` is the first one.
  EventIndex awaited = kNoEvent;
  int64_t ownNs = 0;

  /// Whether it may wait for the device, besides launches.
  bool waits() const { return isSynchronization(meaning) || awaited != kNoEvent; }
  int64_t lengthNs() const { return endNs - startNs; }
};

/// The calls of a timeline with host events, and which device events they launched. A launch is a call of the device's
/// runtime with device events of its correlation, whatever its name.
class RunCalls {
 public:
  /// `timeline` must outlive it, have starts, and have host events.
  explicit RunCalls(const Timeline& timeline);

  const Timeline& timeline() const { return timeline_; }
  const HostFacts& host() const { return *timeline_.host; }
  /// In order of start.
  std::span<const Call> calls() const { return calls_; }
  CallIndex indexOf(const Call& call) const { return static_cast<CallIndex>(&call - calls_.data()); }
  /// The events that a call launched, in order of start.
  std::span<const EventIndex> launched(const Call& call) const { return launched_[indexOf(call)]; }
  /// The call that a host event is, or begins; kNoCall if it is none of them.
  CallIndex callOf(HostEventId event) const { return callOf_[event]; }
  /// The call that launched an event; kNoCall without one.
  CallIndex launchOf(EventIndex event) const { return launchOf_[event]; }
  /// Whether the event is the first that its call launched.
  bool isFirstOfLaunch(EventIndex event) const {
    return launchOf_[event] != kNoCall && launched_[launchOf_[event]].front() == event;
  }
  /// Whether its call launched others before it: it is a node of a graph, and not the first one.
  bool isLaterOfLaunch(EventIndex event) const { return launchOf_[event] != kNoCall && !isFirstOfLaunch(event); }
  /// Of any call of the device's runtime.
  DeviceCall meaningOf(HostEventId event) const { return *meanings_[host().name[event].index]; }
  Symbol symbol(const Call& call) const { return host().name[call.event]; }
  std::string_view name(const Call& call) const { return timeline_.text(symbol(call)); }

  size_t streams() const { return streams_; }
  StreamIndex streamOf(EventIndex event) const { return streamOfTrack_[timeline_.track[event]]; }
  /// The stream with this number in the trace; kNoTrack without one.
  StreamIndex findStream(int64_t number) const;
  /// The event of the same stream and recording that ended last of those that are before it in order of start; kNoEvent
  /// without one.
  EventIndex before(EventIndex event) const { return before_[event]; }

  size_t threads() const { return threads_; }
  /// The thread of an event; kNoTrack if it makes none of the calls.
  ThreadIndex threadOf(HostEventId event) const { return threadOfTrack(host().track[event]); }
  ThreadIndex threadOfTrack(uint32_t track) const { return threadOfTrack_[track]; }

 private:
  void findStreams();
  void findMeanings();
  CallRole roleOf(HostEventId event, bool launches) const;
  void findCalls();
  void cutNestedCalls();

  const Timeline& timeline_;
  /// By the symbol of a name: each is looked at once.
  std::vector<std::optional<DeviceCall>> meanings_;
  std::vector<Call> calls_;
  IdVector<HostEventId, CallIndex> callOf_;
  CompressedRows<CallIndex, EventIndex> launched_;
  std::vector<CallIndex> launchOf_;
  std::vector<EventIndex> before_;
  StreamIndex streams_ = 0;
  ThreadIndex threads_ = 0;
  std::vector<uint32_t> streamOfTrack_, threadOfTrack_;
  /// By the number in the trace, as written.
  std::map<std::string_view, StreamIndex> streamOfNumber_;
};

/// By symbol of a name, the median of its lengths.
std::map<uint32_t, int64_t> mediansOf(const std::map<uint32_t, std::vector<int64_t>>& lengthsNs);

}  // namespace amdahlc::schedule
