/// The comparison of runs by segments.
#pragma once

#include <span>

#include "report/fields.h"
#include "report/segment_times.h"

namespace amdahlc {

/// The keys of `compare`.
extern const std::span<const Field<SegmentTable>> kSegmentFields;

}  // namespace amdahlc
