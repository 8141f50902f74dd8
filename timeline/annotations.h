/// What a copy of a trace says about the events of a run, beside what the trace says.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "timeline/timeline.h"

namespace amdahlc {

/// Traces have many events and few kinds of facts about them, so that an event has two numbers, and texts are shared.
/// Texts are members of a JSON object, `"key":value,"key":value`, escaped.
struct TraceAnnotations {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  /// How an event relates to the model.
  struct Mark {
    std::string arguments;
    /// If the event is bound to nothing: what it is called beside the trace, and its colour, a reserved name of
    /// chrome://tracing. Both are plain words.
    std::string unbound = {}, color = {};
  };
  struct OfEvent {
    /// Into `subjects`; may be kNone.
    uint32_t subject = kNone;
    /// Into `marks`.
    uint32_t mark = kNone;
    friend bool operator==(const OfEvent&, const OfEvent&) = default;
  };
  /// Events that follow one another on a path, in order of start, and its name.
  struct Path {
    std::string name;
    std::vector<EventIndex> events;
  };

  /// What an event is of, such as a kernel of the model.
  std::vector<std::string> subjects;
  std::vector<Mark> marks;
  /// One entry per event.
  std::vector<OfEvent> events;
  std::vector<Path> paths;
  /// What restricts all of it, plain text; empty for nothing.
  std::string caveat;
};

}  // namespace amdahlc
