/// What the operators and launch calls of the host cost beside the device's work: the overheads T1 to T5 of the
/// performance model of Zhongyi Lin, Louis Feng, Ehsan K. Ardestani and others, "Building a Performance Model for Deep
/// Learning Recommendation Model Training on GPUs", 2022.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passes/host/host_analysis.h"
#include "passes/host/host_relations.h"

namespace amdahlc {

/// Over the selected iterations and all threads; absent if the trace has no operators, or no calls of the device's
/// runtime. O(n log n).
Known<HostOverheads> hostOverheads(const Timeline& timeline, const OperatorNesting& nesting,
                                   const HostIterations& iterations, const OverheadOptions& options);

/// A row of the list of all overheads of a run.
struct OverheadRow {
  /// `T1`
  std::string_view overhead;
  /// Of the operator or the call; empty for T1.
  Symbol name;
  const SampleStatistics* samples = nullptr;
};

/// Those with samples, the largest sums first.
std::vector<OverheadRow> overheadRows(const HostOverheads& overheads);

/// `T2 NAME`, printable.
std::string nameOf(const OverheadRow& row, const Timeline& timeline);

}  // namespace amdahlc
