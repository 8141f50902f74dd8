/// A program that does not wait for the device where it could go on: a change of a replay.
#pragma once

#include <map>
#include <span>
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

/// Such waits by name, each in order of start: the name of the call, and those of the operators, functions and modules
/// around it.
std::map<std::string, std::vector<HostEventId>, std::less<>> waitsByName(const RunModel& model);
/// Those names; distinct, sorted.
std::vector<std::string> namesOfWaits(const RunModel& model);

/// These calls do not wait; of other events nothing changes. A call that only waits is not made. A copy is made as
/// before, and its call returns when it may start.
void dropWaits(const RunModel& model, std::span<const HostEventId> waits, Changes& changes);
/// The same of all calls that wait in the middle of an iteration, and have this name or are inside of something that
/// has it.
void dropWaits(const RunModel& model, std::string_view name, Changes& changes);

}  // namespace amdahlc::schedule
