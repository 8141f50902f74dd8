#include "passes/host/host_analysis.h"

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <vector>

#include "passes/host/overheads.h"
#include "passes/host/stream_breakdown.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

__extension__ typedef __int128 Int128;

/// Precondition: there are samples.
void addBoxPlot(const std::vector<int64_t>& sorted, SampleStatistics& out) {
  out.minNs = sorted.front();
  out.maxNs = sorted.back();
  out.q1Ns = quartile(sorted, 1);
  out.medianNs = quartile(sorted, 2);
  out.q3Ns = quartile(sorted, 3);
  const Int128 reach = 3 * (static_cast<Int128>(out.q3Ns) - out.q1Ns);
  // Doubled, because half of a nanosecond counts.
  const auto first = std::partition_point(sorted.begin(), sorted.end(), [&](int64_t ns) {
    return 2 * static_cast<Int128>(ns) < 2 * static_cast<Int128>(out.q1Ns) - reach;
  });
  const auto last = std::partition_point(first, sorted.end(), [&](int64_t ns) {
    return 2 * static_cast<Int128>(ns) <= 2 * static_cast<Int128>(out.q3Ns) + reach;
  });
  // Rounding the quartiles of two neighbouring samples may leave both outside.
  out.lowerWhiskerNs = first == last ? out.q1Ns : std::min(*first, out.q1Ns);
  out.upperWhiskerNs = first == last ? out.q3Ns : std::max(*(last - 1), out.q3Ns);
  out.outside = static_cast<int64_t>(sorted.size()) - (last - first);
}

}  // namespace

int64_t saturatedSum(std::span<const int64_t> samplesNs) {
  Int128 sum = 0;
  for (const int64_t ns : samplesNs) sum += ns;
  return static_cast<int64_t>(std::clamp<Int128>(sum, INT64_MIN, INT64_MAX));
}

SampleStatistics sampleStatistics(std::span<const int64_t> samplesNs) {
  SampleStatistics out;
  out.count = static_cast<int64_t>(samplesNs.size());
  out.meanNs = roundedMean(samplesNs);
  out.standardDeviationNs = standardDeviation(samplesNs);
  out.totalNs = saturatedSum(samplesNs);
  if (samplesNs.empty()) return out;
  std::vector<int64_t> sorted(samplesNs.begin(), samplesNs.end());
  // By a clock with coarse steps, many are equal.
  boost::sort::pdqsort(sorted.begin(), sorted.end());
  addBoxPlot(sorted, out);
  return out;
}

HostAnalysis::HostAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const Timeline& timeline = *module.findTimeline(module.cover(cover).traceLabel);
  const Options& options = analyses.options<HostAnalysis>();
  batchSize = options.batchSize;
  absence = timeline.absenceOfHostSide();
  const ReportedIterations reported(timeline);
  if (!absence || batchSize > 0) {
    const std::vector<IterationTimes> times = reported.of(iterationTimes(timeline));
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

  const std::vector<StreamEvents> byStream = eventsByStream(timeline, reported.events(timeline));
  const std::vector<TimeInterval> extents = iterationExtents(timeline, reported);
  streams = streamBreakdown(timeline, nesting, byStream);
  for (size_t i = 0; i < byStream.size(); ++i) addLaunchQueue(timeline, byStream[i], extents, streams[i]);
  concurrencyNs = streamConcurrency(timeline, byStream, extents);
}

std::optional<Absence> HostAnalysis::absenceOfStreams() const {
  return absence || !streams.empty() ? absence : Absence{Absence::Reason::NoDeviceWork};
}

}  // namespace amdahlc
