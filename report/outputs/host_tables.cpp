#include <fmt/format.h>

#include "passes/host/host_analysis.h"
#include "passes/host/per_iteration.h"
#include "report/outputs/output.h"
#include "support/csv_row.h"

namespace amdahlc {
namespace {

void writeRow(std::string& out, std::string_view name, std::string_view overhead, const SampleStatistics& samples) {
  if (samples.count == 0) return;
  CsvRow row(out);
  row.field(name).field(overhead).field(fmt::format("{}", samples.count)).field(fmt::format("{}", samples.meanNs));
  row.field(fmt::format("{}", samples.standardDeviationNs)).field(fmt::format("{}", samples.medianNs));
  row.field(fmt::format("{}", samples.totalNs)).end();
}

void writeHeader(std::string& out, std::initializer_list<std::string_view> columns) {
  CsvRow row(out);
  for (const std::string_view column : columns) row.field(column);
  row.end();
}

/// One row for each overhead of an operator or a call that has samples.
std::string writeOverheads(const OutputContext& context, ir::CoverId id) {
  const ir::Cover& cover = context.module.cover(id);
  const auto& facts = context.analyses.get<HostAnalysis>(id);
  std::string out;
  writeHeader(out, {"operator", "overhead", "count", "mean_ns", "std_ns", "median_ns", "total_ns"});
  if (!facts.overheads) return out;
  const Timeline& timeline = *context.module.findTimeline(cover.traceLabel);
  writeRow(out, "", "t1", facts.overheads->t1);
  for (const LaunchOverheads& call : facts.overheads->launches) writeRow(out, timeline.text(call.name), "t4", call.t4);
  for (const OperatorOverheads& op : facts.overheads->operators) {
    writeRow(out, timeline.text(op.name), "t2", op.t2);
    writeRow(out, timeline.text(op.name), "t3", op.t3);
    writeRow(out, timeline.text(op.name), "t5", op.t5);
  }
  return out;
}

/// One row for each kernel of a launching operator of a top-level operator of a stream, per iteration.
std::string writeStreams(const OutputContext& context, ir::CoverId id) {
  const ir::Cover& cover = context.module.cover(id);
  const auto& facts = context.analyses.get<HostAnalysis>(id);
  const Timeline& timeline = *context.module.findTimeline(cover.traceLabel);
  std::string out;
  writeHeader(out, {"stream", "operator", "launching_operator", "kernel", "family", "count", "runtime_ns"});
  for (const RoundedStream& stream : streamsPerIteration(timeline.selectedIterationCount(), facts))
    for (const RoundedTop& top : stream.operators)
      for (const RoundedLaunching& launching : top.operators)
        for (const RoundedKernel& kernel : launching.kernels) {
          CsvRow row(out);
          row.field(timeline.tracks[stream.row->track].thread).field(timeline.text(top.row->name));
          row.field(timeline.text(launching.row->name)).field(timeline.text(kernel.row->name));
          row.field(name(kernel.row->family)).field(fmt::format("{}", kernel.count));
          row.field(fmt::format("{}", kernel.ns)).end();
        }
  return out;
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
