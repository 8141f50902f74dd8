/// Iterations that no annotation marks: they were derived from a repeated sequence of launches, which may be a layer of
/// a model. Who knows the model divides the run again.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// Names of data problems that depend on which iterations were chosen.
inline constexpr std::string_view kOutsideIterations = "outside-iterations", kEmptyIteration = "empty-iteration",
                                  kGuessedIterations = "guessed-iterations",
                                  kAnnotationInsideAnother = "annotation-inside-another";
bool isProblemOfIterations(std::string_view problem);

/// Whether a repeated sequence of launches gave the iterations, and no option chose among them.
bool areIterationsGuessed(const Timeline& timeline);
/// Whether `divideAt` gave them.
bool areIterationsForwards(const Timeline& timeline);
bool dropsWarmUp(const Timeline& timeline);

/// How the events of a run are divided.
struct Division {
  std::vector<Iteration> iterations;
  /// By event, and by event of the host.
  std::vector<int32_t> iteration;
  IdVector<HostEventId, int32_t> hostIteration;
  DataProblems problems;
};
/// Precondition of all that follow: the run has host events.
Division divisionOf(const Timeline& timeline);
void divide(Timeline& timeline, Division division);

/// All events of a recording are one iteration, which counts.
void takeAsOneIteration(Timeline& timeline);

/// The first and the last event of a forward that are bound.
struct ForwardExtent {
  EventIndex first = 0, last = 0;
};
/// Each forward becomes an iteration: `forward 1`, and so on. The border between two is the longest pause between the
/// launches from the last bound event of one to the first of the next. An event whose launch is not in the trace
/// belongs to the iteration of the next event of its stream that has one, else of the previous; on a stream without
/// launches its own start decides. `dropsFirst`: the first of three or more is left out as warm-up. All this is within
/// each recording. Precondition: the forwards are in order of launch, and there is one of each recording.
void divideAt(Timeline& timeline, std::span<const ForwardExtent> forwards, bool dropsFirst);

/// Divides a run as another reading of the same events is divided.
void divideAs(Timeline& timeline, const Timeline& divided);

}  // namespace amdahlc
