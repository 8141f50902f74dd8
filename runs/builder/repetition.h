/// Detects iterations without annotations: the same kernels launched repeatedly.
#pragma once

#include <optional>
#include <vector>

#include "runs/builder/event_table.h"

namespace amdahlc {

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
