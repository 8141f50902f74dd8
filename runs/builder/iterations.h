/// Finds the repetitions of the measured work and selects those that count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/runtimes/runtime.h"
#include "runs/builder/event_table.h"

namespace amdahlc {

/// Fills `iterations` with their `spillInNs`, the column `iteration` and the iterations of `work`. The first of these
/// methods that applies is used:
///
///   1. Profiler steps: host annotations that mark a step of the runtime's profiler.
///   2. The outer repeated user annotation: of the annotations whose name occurs twice or more, around device work each
///      time, and around at least half of the device time together: the one with the fewest annotations around it, then
///      the one with more device time. Names that differ in numbers only are one name, and so are those of all steps
///      of a server (`stepClass`). One inside another is the same occurrence. Names of the optimizer, of an autograd
///      engine and of loaders of data do not count. (Annotations of a library around a detail, such as
///      `nccl:all_reduce`, do not contain half.)
///   3. A repeated launch sequence, see `findRepetition`.
///   4. The whole trace, named after the innermost annotation that encloses all launches, whose extent is the window.
///
/// With annotations, a device event belongs to the iteration that contains the start of its launch. If its launch is
/// not in the trace, it belongs to the iteration of the next event of its stream that has one, else of the previous;
/// on a stream without launches, to the one that contains its own start. A stretch of self time and a host event belong
/// to the iteration that contains their own start. In a repeated launch sequence the place in the sequence decides.
///
/// The iterations of an excerpt are those that it states, and all of them count that it says do.
///
/// With `TraceSelection::annotation` the iterations are the annotations that it matches, instead. Of an excerpt none is
/// dropped as warm-up.
///
/// `StepSelection::Auto` drops the first of three or more that have device work. `All` keeps all device work: if some
/// of it is outside all iterations, the whole trace is one iteration. Iterations without device work are never
/// selected. With a window, iterations that are not inside it are not selected; if none is inside, the window itself is
/// the only iteration, with the device work that was launched in it.
///
/// Returns why nothing can be selected, as a sentence for users; empty if something is, or if the trace has no work.
std::string findIterations(EventTable& table, const RuntimeAdapter& runtime, const TraceSelection& selection);

/// For a trace without starts: all device work is one iteration, which counts. Each duration is the mean of `meanOf`
/// executions. Returns why the selection cannot be applied, as a sentence for users; empty if it can.
std::string setOneIteration(EventTable& table, int64_t meanOf, const TraceSelection& selection);

/// A repeated launch sequence: `length` events repeat `count` times from `first` on, counted in `launched`.
struct Repetition {
  size_t first = 0;
  size_t length = 0;
  size_t count = 0;
};

/// Objective: the shortest period of the whole sequence `launched` whose copies are iterations. The sequence is the
/// device work in order of launch; without a device, all operators in order of start. An event's identity is its name,
/// its stream and the name of its launching operator. There are two exact copies or more, with a part of a copy before
/// the first and after the last at most.
///
/// The layers of one model also repeat, but are not iterations. Therefore each copy must begin
///   - if the trace has module frames: in another call of the top-level module than the copy before, and no other event
///     may;
///   - otherwise: after a pause that is at least ten times as long as every pause inside the copies, and after the work
///     of the copy before has ended. A pause is the time without a launching call; for work without a launch, the time
///     without such work on any stream.
///
/// Method: the periods are the length of the sequence less each of its borders (the failure function of Knuth, Morris
/// and Pratt). They are tested in ascending order, and the first one with a valid start of the copies is returned.
///
/// Cost: linear in the number of events for the periods and for each tested period. At most 64 periods are tested; only
/// a sequence of one repeated event has more.
std::optional<Repetition> findRepetition(const EventTable& table, const std::vector<Row>& launched);

}  // namespace amdahlc
