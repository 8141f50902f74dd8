#include "passes/host/host_analysis.h"

#include "passes/host/overheads.h"
#include "passes/host/stream_breakdown.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc {
HostAnalysis::HostAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const Timeline& timeline = *module.findTimeline(module.cover(cover).traceLabel);
  const Options& options = analyses.options<HostAnalysis>();
  batchSize = options.batchSize;
  absence = timeline.absenceOfHostSide();
  if (!absence || batchSize > 0) {
    const std::vector<IterationTimes> times = selectedIterationTimes(timeline);
    if (const auto windows = windowsOf(times)) windowNs = sum(*windows);
    if (const auto walls = wallsOf(times)) wallNs = sum(*walls);
  }
  if (absence) {
    overheads = *absence;
    return;
  }

  const OperatorNesting nesting = operatorNesting(timeline);
  const HostIterations iterations(timeline, nesting);
  overheads = hostOverheads(timeline, nesting, iterations, options.overheads);

  const std::vector<StreamEvents> byStream = eventsByStream(timeline);
  const std::vector<TimeInterval> extents = iterationExtents(timeline);
  streams = streamBreakdown(timeline, nesting, byStream);
  for (size_t i = 0; i < byStream.size(); ++i) addLaunchQueue(timeline, byStream[i], extents, streams[i]);
  concurrencyNs = streamConcurrency(timeline, byStream, extents);
}

std::optional<Absence> HostAnalysis::absenceOfStreams() const {
  return absence || !streams.empty() ? absence : Absence{Absence::Reason::NoDeviceWork};
}

}  // namespace amdahlc
