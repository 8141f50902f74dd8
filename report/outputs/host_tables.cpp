#include <vector>

#include "passes/host/host_analysis.h"
#include "passes/host/per_iteration.h"
#include "report/fields.h"
#include "report/outputs/output.h"

namespace amdahlc {
namespace {

struct OverheadSamples {
  std::string_view name, overhead;
  const SampleStatistics& samples;
};

template <auto member>
constexpr auto statistic = [](const OverheadSamples& row) { return row.samples.*member; };

constexpr auto kOverheadFields = fields<OverheadSamples>(
    field<&OverheadSamples::name>("operator", ""), field<&OverheadSamples::overhead>("overhead", ""),
    field("count", "", statistic<&SampleStatistics::count>), field("mean_ns", "", statistic<&SampleStatistics::meanNs>),
    field("std_ns", "", statistic<&SampleStatistics::standardDeviationNs>),
    field("median_ns", "", statistic<&SampleStatistics::medianNs>),
    field("total_ns", "", statistic<&SampleStatistics::totalNs>));

/// One row for each overhead of an operator or a call that has samples.
std::string writeOverheads(const OutputContext& context, ir::CoverId id) {
  const auto& overheads = context.analyses.get<HostAnalysis>(id).overheads;
  std::vector<OverheadSamples> rows;
  const auto add = [&](std::string_view name, std::string_view overhead, const SampleStatistics& samples) {
    if (samples.count > 0) rows.push_back({name, overhead, samples});
  };
  if (overheads) {
    const Timeline& timeline = *context.module.findTimeline(context.module.cover(id).traceLabel);
    add("", "t1", overheads->t1);
    for (const LaunchOverheads& call : overheads->launches) add(timeline.text(call.name), "t4", call.t4);
    for (const OperatorOverheads& op : overheads->operators) {
      add(timeline.text(op.name), "t2", op.t2);
      add(timeline.text(op.name), "t3", op.t3);
      add(timeline.text(op.name), "t5", op.t5);
    }
  }
  return writeCsv(kOverheadFields, rows);
}

struct KernelOfStream {
  const Timeline& timeline;
  const RoundedStream& stream;
  const RoundedTop& top;
  const RoundedLaunching& launching;
  const RoundedKernel& kernel;
};

constexpr auto kKernelOfStreamFields = fields<KernelOfStream>(
    field("stream", "", [](auto& row) { return row.timeline.tracks[row.stream.row->track].thread; }),
    field("operator", "", [](auto& row) { return row.timeline.text(row.top.row->name); }),
    field("launching_operator", "", [](auto& row) { return row.timeline.text(row.launching.row->name); }),
    field("kernel", "", [](auto& row) { return row.timeline.text(row.kernel.row->name); }),
    field("family", "", [](auto& row) { return name(row.kernel.row->family); }),
    field("count", "", [](auto& row) { return row.kernel.count; }),
    field("runtime_ns", "", [](auto& row) { return row.kernel.ns; }));

/// One row for each kernel of a launching operator of a top-level operator of a stream, per iteration.
std::string writeStreams(const OutputContext& context, ir::CoverId id) {
  const auto& facts = context.analyses.get<HostAnalysis>(id);
  const Timeline& timeline = *context.module.findTimeline(context.module.cover(id).traceLabel);
  const std::vector<RoundedStream> streams = streamsPerIteration(timeline.selectedIterationCount(), facts);
  std::vector<KernelOfStream> rows;
  for (const RoundedStream& stream : streams)
    for (const RoundedTop& top : stream.operators)
      for (const RoundedLaunching& launching : top.operators)
        for (const RoundedKernel& kernel : launching.kernels)
          rows.push_back({timeline, stream, top, launching, kernel});
  return writeCsv(kKernelOfStreamFields, rows);
}

}  // namespace

constinit const Output kOverheadsOutput{.name = "overheads",
                                        .summary = "one CSV row per operator or launch call, and overhead of the host",
                                        .pass = "host",
                                        .write = writeOverheads,
                                        .isCsv = true};
constinit const Output kStreamsOutput{
    .name = "streams",
    .summary = "one CSV row per stream, operator, launching operator and kernel, with its device time",
    .pass = "host",
    .write = writeStreams,
    .isCsv = true};

}  // namespace amdahlc
