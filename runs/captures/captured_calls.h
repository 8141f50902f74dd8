/// The calls of captures that a run keeps. Internal to captures.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc::captures {

/// One capture in the trace of captures.
struct Capture {
  const Timeline* trace = nullptr;
  std::span<const CapturedLaunch> launches;
};

/// The captures of a trace, in order of time.
std::vector<Capture> capturesOf(const Timeline& trace);

/// By capture of a trace: the innermost annotation around it, apart from steps of a profiler; none without one.
std::vector<HostEventId> annotationsAroundCaptures(const Timeline& trace);

/// What is known of the calls of captured launches, as texts that are equal where it is: operators around them with
/// their operands, and with modules too.
struct CallTexts {
  std::vector<std::string> operators, modules;
  friend bool operator==(const CallTexts&, const CallTexts&) = default;
};
CallTexts textsOf(const Capture& capture);

/// Makes `Timeline::captured`.
class CapturedCalls {
 public:
  /// Both must outlive it. `run` gets the threads and names of what is kept. The captures of one trace are together.
  CapturedCalls(Timeline& run, std::span<const Capture> captures);

  /// The event of the run is what this launch of a capture launched.
  void give(EventIndex event, size_t capture, size_t launch) { given_.push_back({event, capture, launch}); }
  HostFacts finish() &&;

 private:
  struct Given {
    EventIndex event;
    size_t capture, launch;
  };

  void keep(const Timeline& trace, std::span<const Given> given);
  const CapturedLaunch& launchOf(const Given& one) const { return captures_[one.capture].launches[one.launch]; }
  uint32_t trackOf(const Timeline& trace, uint32_t track);
  uint32_t factsOf(const HostFacts& from, HostEventId event);

  Timeline& run_;
  const std::span<const Capture> captures_;
  std::vector<Given> given_;
  HostFacts kept_;
  /// Of the trace that is being kept.
  std::map<uint32_t, uint32_t> tracks_, facts_;
};

}  // namespace amdahlc::captures
