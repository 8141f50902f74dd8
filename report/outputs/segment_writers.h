/// Writers of the comparison of runs by segments.
#pragma once

#include <span>
#include <string>

#include "passes/manager/output_kind.h"
#include "report/fields.h"
#include "report/segment_times.h"

namespace amdahlc {

/// In the layout of octoml-profile: segments, with host time between them, and a line for each run; then totals.
std::string writeSegments(const SegmentTable& table, const TextStyle& style);
/// One row for each segment, uncompiled time and total of each run.
std::string writeSegmentsCsv(const SegmentTable& table, const ir::Module& module);

/// The row of `compare`, if there is a table.
struct ComparedRuns {
  const ir::Module* module = nullptr;
  const SegmentTable* table = nullptr;
};
/// The keys of `compare`.
extern const std::span<const Field<ComparedRuns>> kSegmentFields;

}  // namespace amdahlc
