// Before: a bound run with its host events.         After: what the host costs, and what each stream does.
//
//   thread   |op A  [launch]   |  |op B [launch] [launch]  |
//             <-T2->       <-T3>T1 <-T2>      <T5>     <T3>       T4: of each launch call
//   stream 7       |kernel   |  idle   |kernel | |kernel |
//
// Times are as recorded, less what recording cost where `profiler-overhead` says so. Reports divide by the iterations.
//
// Declined: runs without host events, without start times, or without a device. They get the reason instead.

#include "passes/host/host_pass.h"

#include <fmt/format.h>

#include "ir/facets/host.h"
#include "passes/host/charts.h"
#include "passes/host/concurrency.h"
#include "passes/host/host_iterations.h"
#include "passes/host/host_tables.h"
#include "passes/host/launch_queue.h"
#include "passes/host/operator_nesting.h"
#include "passes/host/overheads.h"
#include "passes/host/report_host.h"
#include "passes/host/stream_breakdown.h"
#include "runtimes/device_calls.h"
#include "support/printable.h"
#include "support/statistics.h"
#include "timeline/totals.h"

namespace amdahlc {
namespace {

constexpr std::string_view kRecorded = "recorded", kByName = "ml-perf-model";
constexpr int64_t kMostRecordingNs = 1'000'000'000;
constexpr int64_t kLargestBatch = 1'000'000'000;

ir::HostSilence silenceOf(const Timeline& timeline) {
  if (!timeline.host) return ir::HostSilence::TraceNotGiven;
  if (!timeline.hasStarts) return ir::HostSilence::NoStarts;
  if (!timeline.hasDevice) return ir::HostSilence::NoDevice;
  if (timeline.host->size() == 0) return ir::HostSilence::NoHostEvents;
  return ir::HostSilence::None;
}

ir::HostFacet factsOf(const Timeline& timeline, const OverheadOptions& options, int64_t batchSize) {
  ir::HostFacet facts;
  facts.batchSize = batchSize;
  facts.silence = silenceOf(timeline);
  if (facts.silence == ir::HostSilence::None || batchSize > 0) {
    const std::vector<IterationTimes> times = selectedIterationTimes(timeline);
    if (const auto windows = windowsOf(times)) facts.windowNs = sum(*windows);
    if (const auto walls = wallsOf(times)) facts.wallNs = sum(*walls);
  }
  if (facts.silence != ir::HostSilence::None) return facts;

  const OperatorNesting nesting = operatorNesting(timeline);
  const HostIterations iterations(timeline, nesting);
  if (hasOverheads(timeline)) facts.overheads = hostOverheads(timeline, nesting, iterations, options);

  const std::vector<StreamEvents> streams = eventsByStream(timeline);
  const std::vector<TimeInterval> extents = iterationExtents(timeline);
  facts.streams = streamBreakdown(timeline, nesting, streams);
  for (size_t i = 0; i < streams.size(); ++i) addLaunchQueue(timeline, streams[i], extents, facts.streams[i]);
  facts.concurrencyNs = streamConcurrency(timeline, streams, extents);
  return facts;
}

}  // namespace

HostPass::HostPass()
    : runs_(statistic("runs", "runs with host events and a device")),
      operators_(statistic("operators", "top-level operators of the selected iterations")),
      streams_(statistic("streams", "streams with selected events")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  needsInput(PassInput::HostEvents);
  requiresFacet(ir::Facet::Bound);
  establishesFacet(ir::Facet::Host);
  duration("profiler-overhead",
           {"Set what recording one event costs the host.", "Overheads are less by it for each event."}, recordingNs_,
           kMostRecordingNs);
  string("overheads",
         {"Choose which calls are launches.",
          fmt::format("`recorded` takes those that device work came from, `ml-perf-model` {}, {} and {}.",
                      launchesOfMlPerfModel()[0], launchesOfMlPerfModel()[1], launchesOfMlPerfModel()[2])},
         overheads_, {std::string(kRecorded), std::string(kByName)});
  integer("batch-size", {"Set the samples in an iteration, for the throughput.", "0 is an unknown number."}, batchSize_,
          0, kLargestBatch);
  for (const char* name : {"profiler-overhead", "overheads", "batch-size"}) hasOldSpelling(name, name);
  enablesOutput({.name = "overheads",
                 .summary = "one CSV row per operator or launch call, and overhead of the host",
                 .needs = ir::Facet::Host,
                 .writeRun = writeOverheads,
                 .isCsv = true});
  enablesOutput({.name = "streams",
                 .summary = "one CSV row per stream, operator, launching operator and kernel, with its device time",
                 .needs = ir::Facet::Host,
                 .writeRun = writeStreams,
                 .isCsv = true});
  enablesOutput({.name = "charts",
                 .summary = "streams by operator and kernel family, overheads as box plots, and queues, as SVG",
                 .needs = ir::Facet::Host,
                 .writeRun = writeHostCharts});
  reports(hostSection());
}

PassResult HostPass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Host);
  const OverheadOptions options{recordingNs_, overheads_ == kByName};
  for (const ir::CoverId id : module.coverIds()) {
    ir::Cover& cover = module.cover(id);
    if (cover.traceLabel.empty()) continue;
    const Timeline& timeline = *module.findTimeline(cover.traceLabel);
    ir::HostFacet facts = factsOf(timeline, options, batchSize_);
    runs_ += facts.silence == ir::HostSilence::None;
    streams_ += static_cast<int64_t>(facts.streams.size());
    int64_t operators = 0;
    if (facts.overheads)
      for (const ir::OperatorOverheads& row : facts.overheads->operators) operators += row.count;
    operators_ += operators;
    if (context.wants(RemarkKind::Analysis))
      context.remark(RemarkKind::Analysis, TraceLocation{timeline.file, std::nullopt, std::nullopt},
                     facts.silence == ir::HostSilence::None
                         ? fmt::format("run `{}`: {} top-level operators, {} streams", printable(timeline.label),
                                       operators, facts.streams.size())
                         : fmt::format("run `{}`: {}", printable(timeline.label), describe(facts.silence)));
    changed |= cover.facets.replace(std::move(facts));
  }
  module.establish(ir::Facet::Host);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
