/// The comparison of runs by segments.
#pragma once

#include <span>

#include "report/fields.h"
#include "report/segment_times.h"

namespace amdahlc {

/// The row of `compare`, if there is a table.
struct ComparedRuns {
  const ir::Module* module = nullptr;
  const SegmentTable* table = nullptr;
};
/// The keys of `compare`.
extern const std::span<const Field<ComparedRuns>> kSegmentFields;

}  // namespace amdahlc
