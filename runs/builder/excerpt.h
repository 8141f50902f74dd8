/// Excerpts of traces: the events of the selected iterations, with what was known of the whole trace. A report on an
/// excerpt is the report on the whole trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/absence.h"

namespace amdahlc {

/// What an excerpt states of the whole trace.
struct Excerpt {
  std::string format;
  Target target;
  /// As in `Timeline`.
  std::vector<std::string> devices;
  std::string device;
  int64_t clockResolutionNs = 1;
  /// All of them. Only those that are selected have events.
  std::vector<Iteration> iterations;
  DataProblems problems;
};

/// What an excerpt of the run states.
Excerpt excerptOf(const Timeline& timeline);

/// Why there is no excerpt of the run; nullopt if there is one.
std::optional<Absence> absenceOfExcerpt(const Timeline& timeline);

/// The host events that overlap a selected iteration, from its launches to the end of its work, in their order; those
/// with a sequence number that one of these has, which tell the operator of a step of the backward pass; and what is
/// around them.
std::vector<HostEventId> hostEventsOfExcerpt(const Timeline& timeline);

/// Whether each iteration has an extent, and ends before the next one begins.
bool haveOrderedExtents(const std::vector<Iteration>& iterations);

/// The iteration whose extent contains the time, or kNoIteration. The extents must be ordered.
int32_t iterationAt(const std::vector<Iteration>& iterations, int64_t timeNs);

}  // namespace amdahlc
