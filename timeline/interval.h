/// Interval algebra over nanoseconds: unions, and the segments in which the set of active intervals is constant.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace amdahlc {

/// Half open.
struct Interval {
  int64_t startNs = 0;
  int64_t endNs = 0;
};

/// Length of the union; empty and negative intervals count nothing. O(n log n).
int64_t unionLength(std::vector<Interval> intervals);

/// Cuts the union into segments by the set of active intervals and calls `visit(lengthNs, active)` for each with a non-empty set, in order of
/// time; `active` holds indices into `intervals`, ascending. Adjacent segments always differ in their set.
void forEachSegment(std::span<const Interval> intervals,
                    const std::function<void(int64_t lengthNs, std::span<const uint32_t> active)>& visit);

}  // namespace amdahlc
