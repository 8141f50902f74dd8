/// The limits of the times of a run. Within them no sum of a timeline's times overflows.
#pragma once

#include <cstdint>
#include <string>

#include "replay/timeline/timeline.h"
#include "support/limits.h"

namespace amdahlc {

/// Limit for the distance of starts and ends from the clock's origin: 73 years, until 2043 for a clock that counts from
/// 1970. Also the limit for the sum of the durations of all events, and for the sum of the lengths of all iterations.
inline constexpr int64_t kMaxTimeNs = limits::kTimeNs;

/// Whether an event begins and ends within the limit, and its duration is not negative.
bool isPossibleTime(int64_t startNs, int64_t durationNs);

/// Describes what is wrong with the times of events and iterations; empty if nothing is. Precondition: the columns have
/// equal lengths, and the iterations of events exist.
std::string timeDefect(const Timeline& timeline);

}  // namespace amdahlc
