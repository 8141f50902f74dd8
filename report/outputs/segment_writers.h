/// The comparison of runs by segments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/fields.h"
#include "report/outputs/output.h"
#include "report/segment_times.h"

namespace amdahlc {

/// The keys of `compare`.
extern const std::span<const Field<SegmentTable>> kSegmentFields;

/// Which run is the fastest, how much longer the others take, and in which segments the slowest one takes most of that,
/// as sentences without a period; printable. Empty where the runs are not compared.
std::vector<std::string> fastestRun(const SegmentTable& table);

/// The output `compare`.
std::string writeSegmentsText(const SegmentTable& table, const TextStyle& style);

}  // namespace amdahlc
