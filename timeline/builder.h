/// Builds a timeline from raw events in any order: sorts them, nests host events, joins launches, finds iterations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "timeline/timeline.h"

namespace amdahlc {

/// One event as a reader found it.
struct RawEvent {
  EventKind kind = EventKind::Other;
  int64_t startNs = 0;
  int64_t durationNs = 0;
  std::string_view name;
  uint32_t track = 0;
  int64_t correlation = -1;
  std::optional<LaunchFacts> launchFacts;
  std::optional<OperatorFacts> operatorFacts;
};

class TimelineBuilder {
 public:
  /// Finds or adds the track (process, thread).
  uint32_t track(std::string_view process, std::string_view thread, bool device);
  void nameTrack(uint32_t track, std::string name);
  void add(const RawEvent& event);
  void problem(std::string_view name, int64_t count, std::string_view what);
  Timeline& facts() { return timeline_; }  ///< label, file, format, target: set by the reader

  /// Relations, leaf operators, iterations, selection. The builder is empty afterwards.
  Timeline finish(StepSelection selection);

 private:
  Timeline timeline_;
  std::vector<uint64_t> fileOrder_;
};

}  // namespace amdahlc
