/// Iterations that no annotation marks: they were derived from a repeated sequence of launches, which may be a layer of
/// a model. Who knows the model divides the run again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

/// How the events of a run are divided.
struct Division {
  std::vector<Iteration> iterations;
  /// By event.
  std::vector<int32_t> iteration;
  DataProblems problems;
};
Division divisionOf(const Timeline& timeline);
void divide(Timeline& timeline, Division division);

/// All events are one iteration, which counts.
void takeAsOneIteration(Timeline& timeline);
/// Iterations that begin with these events, in order of time, of a run that is one iteration: `forward 1`, and so on.
/// `dropsFirst`: the first of three or more is left out as warm-up. Precondition: the first one begins the run, and the
/// run has host events.
void divideAt(Timeline& timeline, std::span<const EventIndex> begins, bool dropsFirst);

}  // namespace amdahlc
