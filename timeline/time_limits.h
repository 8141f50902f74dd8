/// Which times a run can have. Within these limits no sum of a timeline's times overflows.
#pragma once

#include <cstdint>
#include <string>

#include "timeline/timeline.h"

namespace amdahlc {

/// Starts and ends lie within this distance of the clock's origin: 73 years, for a clock that counts from 1970 until
/// 2043. Durations of all events add up to at most this, and so do the extents of all iterations.
inline constexpr int64_t kMaxTimeNs = int64_t{1} << 61;

/// Whether an event begins and ends within the limit, and ends no earlier than it begins.
bool isPossibleTime(int64_t startNs, int64_t durationNs);

/// What is wrong with the times of events and iterations; empty where they are sound. Columns have equal lengths, and
/// events belong to iterations that exist.
std::string timeDefect(const Timeline& timeline);

}  // namespace amdahlc
