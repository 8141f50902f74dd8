/// The output `charts`: what the streams of a run do, what its host costs, and how long its queues are, as one picture.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "passes/host/host_analysis.h"
#include "passes/host/per_iteration.h"
#include "report/drawing/chart.h"

namespace amdahlc {

/// Precondition of the parts below: a run whose facts are not silent.
struct ChartedRun {
  const Timeline& timeline;
  int64_t iterations;
  const HostAnalysis& facts;
  std::vector<RoundedStream> streams;
};

/// By family, its index in the series of the page.
using SeriesOfFamilies = std::array<size_t, kKernelFamilyCount>;

drawing::ChartPanel breakdownPanel(const ChartedRun& charted, const RoundedStream& stream,
                                   const SeriesOfFamilies& series);

/// Box plots of overheads, or why there are none.
drawing::ChartPanel overheadPanel(const ChartedRun& charted);

/// The queues of these streams in one iteration. `queue` and `busy` are series of the page. O(events).
std::vector<drawing::ChartPanel> queuePanels(const ChartedRun& charted, const std::vector<const RoundedStream*>& shown,
                                             size_t queue, size_t busy);

/// `stream 7`, printable.
std::string nameOf(const ChartedRun& charted, const RoundedStream& stream);

}  // namespace amdahlc
