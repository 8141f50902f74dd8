/// What a run takes between a cause and its effect: estimated from the run, and assumed to stay.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/schedule/run_calls.h"
#include "replay/schedule/waits.h"

namespace amdahlc::schedule {

/// One estimate, for reports.
struct Constant {
  enum class Kind : uint8_t { LaunchLatency, InsideLatency, TurnAround, GraphTurnAround, EventToEvent };
  Kind kind;
  /// Of which call, or of which kernel; empty for all others.
  std::string name;
  int64_t ns = 0;
  /// How many measured values it is of; 0 for an assumed one.
  int64_t samples = 0;
  friend bool operator==(const Constant&, const Constant&) = default;
};
/// `launch-latency`
std::string_view name(Constant::Kind kind);

/// - Launch latency: from the end of a launch to the start of its first event; where that starts inside the call (a
///   blocking copy), from the start of the call. Median by call and kind of event, over events whose stream was empty
///   when the call began and that wait for no other stream.
/// - Turn-around: from the end of the event before it in its stream to the start of an event that was launched early
///   enough. Mean by name. It is negative where a kernel may start before the one before it has ended (programmatic
///   dependent launch). Nodes of a graph but its first have turn-arounds of their own.
/// - Event to event: from the end of an event to the start of one of another stream that waits for it.
///
/// Classes with fewer than three values have the estimate over all.
class Constants {
 public:
  Constants(const RunCalls& calls, const Waits& waits);

  /// Of an event that is the first of its launch.
  int64_t latencyNs(EventIndex event) const { return latencyOf_[event]; }
  /// `isCaptured`: a change makes it a node of a graph.
  int64_t turnAroundNs(EventIndex event, bool isCaptured = false) const {
    return isCaptured ? turnAroundInGraphNs(event) : turnAroundOf_[event];
  }
  int64_t eventToEventNs() const { return eventToEventNs_; }
  /// An event that starts later than this after all its causes waited for something that is not known.
  int64_t longestDelayNs() const { return longestDelayNs_; }
  /// Of all classes with events, by kind and name.
  std::vector<Constant> all() const;

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // symbol of a name, kind of event
  struct Estimate {
    int64_t ns = 0;
    int64_t samples = 0;
  };
  using Samples = std::map<Key, std::vector<int64_t>>;
  struct Table {
    std::map<Key, Estimate> byClass;
    Estimate all;
    int64_t of(const Key& key) const;
  };
  static Table tableOf(const Samples& samples, int64_t assumedNs, Estimate (*estimate)(const std::vector<int64_t>&));
  Key latencyKey(EventIndex event) const;
  Key turnAroundKey(EventIndex event) const;
  int64_t turnAroundInGraphNs(EventIndex event) const;
  void estimateLatencies();
  void estimateTurnArounds();
  void estimateEventToEvent();
  void findOfEvents();

  const RunCalls& calls_;
  const Waits& waits_;
  Table latency_, insideLatency_, turnAround_, graphTurnAround_;
  /// By event, because replays ask for them again and again. A latency is of the first event of a launch.
  std::vector<int64_t> latencyOf_, turnAroundOf_;
  /// Launches end so long before the event before is done that they do not delay the next one.
  int64_t longLatencyNs_ = 0;
  int64_t medianLatencyNs_ = 0;
  int64_t eventToEventNs_ = 0;
  int64_t eventToEventSamples_ = 0;
  int64_t longestDelayNs_ = 0;
};

}  // namespace amdahlc::schedule
