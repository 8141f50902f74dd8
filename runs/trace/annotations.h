/// What is known of the events of a run beside its trace: for tracks of their own in a copy of the trace.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

struct TraceAnnotations {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  /// What events are of: a kernel of the model, or the reason why they belong to none.
  struct Subject {
    std::string name;
    /// Members of a JSON object, `"key":value,"key":value`, escaped.
    std::string arguments;
    /// Into `scopes`; kNone if it is not known.
    uint32_t scope = kNone;
    /// A reserved name of chrome://tracing; may be empty.
    std::string color = {};
  };
  struct Scope {
    std::string name;
    /// kNone for the root.
    uint32_t parent = kNone;
  };
  /// Events that follow one another on a path, in order of start, and its name.
  struct Path {
    std::string name;
    std::vector<EventIndex> events;
  };

  std::vector<Subject> subjects;
  /// Module scopes, parents before children. The first is the root.
  std::vector<Scope> scopes;
  /// By event: into `subjects`; kNone for an event that does not count.
  std::vector<uint32_t> subjectOf;
  std::vector<Path> paths;
  /// What restricts all of it, plain text; empty for nothing.
  std::string caveat;
};

/// A stretch of a track, of events that follow one another.
struct AnnotatedSlice {
  /// Into `subjects` or `scopes`.
  uint32_t of = TraceAnnotations::kNone;
  int64_t startNs = 0, endNs = 0;
  int64_t events = 0;
  /// The sum of their durations.
  int64_t workNs = 0;
  int32_t iteration = kNoIteration;
};

/// The annotations of the events of a track, in order of start, outer ones first. Each slice is of one iteration.
struct AnnotatedTrack {
  uint32_t track = 0;
  /// No two overlap: where events do, the later one begins at the end of the earlier one.
  std::vector<AnnotatedSlice> subjects;
  /// They nest. Events of unknown scope between those of a scope are part of it.
  std::vector<AnnotatedSlice> scopes;
};

/// Of each track with events that count, in the order in which they first occur.
std::vector<AnnotatedTrack> annotatedTracks(const Timeline& timeline, const TraceAnnotations& annotations);

}  // namespace amdahlc
