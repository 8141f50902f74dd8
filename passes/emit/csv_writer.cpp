#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/emit/csv_row.h"
#include "passes/emit/writers.h"

namespace amdahlc {
namespace {

template <typename Number>
std::string number(const std::optional<Number>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void writeHeader(std::string& out) {
  CsvRow row(out);
  for (const char* name :
       {"run", "id", "label", "rule", "category", "nodes", "scope", "events", "duration_ns", "duration_ns_total",
        "duration_ns_stddev", "duration_ns_median", "ratio", "max_speedup", "max_speedup_wall", "critical", "slack_ns"})
    row.field(name);
  row.end();
}

void writeRow(std::string& out, const RunReport& run, const KernelRow& kernel) {
  CsvRow row(out);
  row.field(run.label)
      .field(fmt::format("{}", kernel.id.index()))
      .field(kernel.label)
      .field(kernel.rule.value_or(""))
      .field(kernel.category);
  row.field(fmt::format("{}", fmt::join(kernel.nodes, ";"))).field(kernel.scope).field(number(kernel.events));
  if (kernel.time)
    row.field(fmt::format("{}", kernel.time->meanNs))
        .field(fmt::format("{}", kernel.time->totalNs))
        .field(fmt::format("{}", kernel.time->deviationNs))
        .field(fmt::format("{}", kernel.time->medianNs));
  else
    row.field("").field("").field("").field("");
  row.field(kernel.shares ? fmt::format("{}", kernel.shares->ratio) : "");
  row.field(kernel.shares ? number(kernel.shares->maxSpeedup) : "")
      .field(kernel.shares ? number(kernel.shares->maxSpeedupWall) : "");
  row.field(kernel.critical ? (*kernel.critical ? "true" : "false") : "").field(number(kernel.slackNs));
  row.end();
}

}  // namespace

std::string writeCsv(const Report& report) {
  std::string out;
  writeHeader(out);
  for (const RunReport& run : report.runs)
    for (const KernelRow& kernel : run.kernels) writeRow(out, run, kernel);
  return out;
}

std::string writeBindings(const RunReport& run) {
  const Timeline& timeline = *run.timeline;
  std::vector<const KernelRow*> kernelOf(timeline.size(), nullptr);
  std::vector<const ir::BoundEvent*> bindingOf(timeline.size(), nullptr);
  for (const ir::Kernel& kernel : run.cover->kernels)
    for (const ir::BoundEvent& bound : kernel.events) {
      kernelOf[bound.event] = &run.kernels[kernel.id];
      bindingOf[bound.event] = &bound;
    }
  std::vector<const ir::UnboundEvent*> unboundOf(timeline.size(), nullptr);
  for (const ir::UnboundEvent& unbound : run.cover->unbound) unboundOf[unbound.event] = &unbound;

  std::string out;
  CsvRow header(out);
  for (const char* name :
       {"event", "ts_ns", "duration_ns", "stream", "name", "kernel", "nodes", "scope", "evidence", "confidence"})
    header.field(name);
  header.end();
  int64_t rank = 0;
  for (EventIndex event : timeline.selectedEvents()) {
    CsvRow row(out);
    row.field(fmt::format("{}", rank++))
        .field(fmt::format("{}", timeline.startNs[event]))
        .field(fmt::format("{}", timeline.durationNs[event]));
    row.field(timeline.tracks[timeline.track[event]].thread).field(timeline.text(timeline.name[event]));
    if (const KernelRow* kernel = kernelOf[event]) {
      row.field(fmt::format("{}", kernel->id.index()))
          .field(fmt::format("{}", fmt::join(kernel->nodes, ";")))
          .field(kernel->scope);
      row.field(ir::toString(bindingOf[event]->evidence))
          .field(fmt::format("{}", bindingOf[event]->confidencePermille / 1000.0));
    } else {
      row.field("").field("").field(unboundOf[event] ? unboundOf[event]->scope : "").field("").field("");
    }
    row.end();
  }
  return out;
}

}  // namespace amdahlc
