/// The overheads of a run as rows of one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passes/host/host_analysis.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

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
