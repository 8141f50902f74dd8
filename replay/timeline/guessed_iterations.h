/// Iterations that no annotation marks: they were derived from a repeated sequence of launches, which may be a layer of
/// a model. Who knows the model divides the run again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// Names of data problems that depend on which iterations were chosen.
inline constexpr std::string_view kOutsideIterations = "outside-iterations", kEmptyIteration = "empty-iteration",
                                  kGuessedIterations = "guessed-iterations", kUnmarkedIteration = "unmarked-iteration",
                                  kAnnotationInsideAnother = "annotation-inside-another";
bool isProblemOfIterations(std::string_view problem);

/// Whether a repeated sequence of launches gave the iterations, and no option chose among them.
bool areIterationsGuessed(const Timeline& timeline);
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

/// What `kUnmarkedIteration` says.
inline constexpr std::string_view
    kForwardsOfModel =
        "the trace is one iteration of all forwards of the model, because no annotation marks iterations",
    kOneForward =
        "the trace is one iteration of one forward, because no annotation, no call of a module and no model tells "
        "where "
        "passes begin";
/// All events of a recording are one iteration, which counts. `why` is what `kUnmarkedIteration` says.
void takeAsOneIteration(Timeline& timeline, std::string_view why);
/// Whether all iterations are forwards of one class (`classesByShapes`). Launches of the first tokens of a sequence and
/// of the next ones may be the same. Precondition: the run has host events.
bool haveEqualShapes(const Timeline& timeline);
/// For a run without a model, of which no annotation marks iterations. Without module frames, which tell calls of a
/// model apart, it is one iteration, because nothing tells passes from equal layers of one pass; and so it is if its
/// guessed iterations have different shapes. Precondition: the run has host events.
void dropUnconfirmedIterations(Timeline& timeline);
/// Takes the run as one iteration if `takenBefore`, another reading of the same events, was, and no option chose other
/// iterations. Precondition: the run has host events.
void takeAsBefore(Timeline& timeline, const Timeline& takenBefore);

}  // namespace amdahlc
