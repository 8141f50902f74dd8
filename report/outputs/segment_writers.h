/// The comparison of runs by segments.
#pragma once

#include <span>
#include <string>

#include "report/fields.h"
#include "report/outputs/output.h"
#include "report/segment_times.h"

namespace amdahlc {

/// The keys of `compare`.
extern const std::span<const Field<SegmentTable>> kSegmentFields;

/// The output `compare`.
std::string writeSegmentsText(const SegmentTable& table, const TextStyle& style);

}  // namespace amdahlc
