/// Calls that wait for the device without saying so: those that free memory, or allocate where it is short, functions
/// of drivers and libraries, and queries that are repeated until work is done.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc::schedule {

/// What is known of a call of the device's runtime without looking at times.
enum class CallRole : uint8_t {
  /// It launches device work, or says that it waits: this explains how long it takes, and how long calls inside of it
  /// take. So do all calls of its name.
  Explained,
  /// It records an event, or makes a stream wait.
  Orders,
  /// It asks whether work is done.
  Query,
  Other,
};

/// A call that waited for an event ends so long after it, at most.
inline constexpr int64_t kLongestReturnNs = 20'000;

struct ImplicitWait {
  /// The call, or the first one of a run of queries.
  HostEventId call;
  /// Of the call, or of the last query.
  int64_t endNs = 0;
  /// What it waited for; kNoEvent if it waits for all work of the device, as a synchronizing call does.
  EventIndex event = kNoEvent;
  /// How long such a call takes while the device is idle; where that is not known, after the end of what it waits for.
  int64_t ownNs = 0;
};

/// In order of start. No name is special: the long calls of a name are waits if most of them end with a device event,
/// and far more of them than if the events had ended at other times.
///
/// - The idle length of a name is the median of its calls during which no event ran, at least 1 us; fewer than three
///   such calls tell nothing.
/// - A call is long if it takes more than 20 us, and more than five idle lengths.
/// - It hits the last event that ends from 20 us before its end to 1 us after it, if that was launched before the call
///   ended. Queries hit what ends after the last but one of them began.
/// - A name waits if it has three long calls, more than half of them hit, and the share of hits exceeds by 0.3 the mean
///   of the shares with the ends of all events shifted by k/17 of the recording, k = 1 to 16. Both sets of events are
///   tried: all of them, and those at whose ends nothing is left of what was launched. The latter tell where the device
///   is never idle for long.
///
/// The hits of such a name are waits. If each of its calls, long or short, ends when all work has ended that was
/// launched before it began, all of them wait for the device, also those that had nothing to wait for.
///
/// Consecutive queries of a thread, each within 20 us of the one before it, count as one call. `calls` are all of the
/// run, in order of start.
std::vector<ImplicitWait> findImplicitWaits(const Timeline& timeline,
                                            const std::vector<std::pair<HostEventId, CallRole>>& calls);

}  // namespace amdahlc::schedule
