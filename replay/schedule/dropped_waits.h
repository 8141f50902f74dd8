/// A program that does not wait for the device where it could go on: a change of a replay.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/schedule/changes.h"
#include "replay/schedule/run_model.h"

namespace amdahlc::schedule {

/// By call: whether it waits for the device, or could, while its iteration still has work to launch. The last wait of
/// an iteration is none of them, because a loop needs one, nor is a call outside of all iterations, nor a launch that a
/// full queue holds.
std::vector<bool> waitsInTheMiddle(const RunModel& model);

/// The names by which `dropWaits` finds such waits: those of the calls, and of the operators, functions and modules
/// around them; distinct, sorted.
std::vector<std::string> namesOfWaits(const RunModel& model);

/// The calls that wait in the middle of an iteration, and have this name or are inside of something that has it, do not
/// wait. A call that only waits is not made. A copy is made as before, and its call returns when it may start.
void dropWaits(const RunModel& model, std::string_view name, Changes& changes);

}  // namespace amdahlc::schedule
