/// Iterations that no annotation marks: the same kernels launched repeatedly.
#pragma once

#include <optional>
#include <vector>

#include "timeline/event_table.h"

namespace amdahlc {

/// A repeated launch sequence: `length` events repeat `count` times from `first` on, counted in `launched`.
struct Repetition {
  size_t first = 0;
  size_t length = 0;
  size_t count = 0;
};

/// Looks for the shortest repetition of the whole sequence `launched` (device work in order of launch), where an
/// event's identity is its name, its stream and the name of its launching operator. A part of a copy may be at
/// either end; everything between is exact copies, two or more.
///
/// The layers of one model repeat too, and are not iterations. Therefore each copy must begin
///   - where the trace has module frames: in another call of the top-level module than the copy before;
///   - else: after a pause that is at least ten times as long as every pause inside the copies, and after the work of
///     the copy before has ended. A pause is the time without a call that launches; of work without a launch, the time
///     without such work on any stream.
std::optional<Repetition> findRepetition(const EventTable& table, const std::vector<Row>& launched);

}  // namespace amdahlc
