#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/emit/writers.h"
#include "support/csv_row.h"

namespace amdahlc {
namespace {

template <typename Number>
std::string number(const std::optional<Number>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void writeHeader(std::string& out, std::span<const ReportSection> sections) {
  CsvRow row(out);
  for (const char* name :
       {"run", "id", "label", "rule", "category", "nodes", "scope", "events", "duration_ns", "duration_ns_total",
        "duration_ns_stddev", "duration_ns_median", "ratio", "max_speedup", "max_speedup_wall", "critical", "slack_ns"})
    row.field(name);
  for (const ReportSection& section : sections)
    if (section.column) row.field(section.columnName);
  row.end();
}

void writeRow(std::string& out, const RunReport& run, const KernelRow& kernel,
              const std::vector<std::string>& valuesOfSections) {
  CsvRow row(out);
  row.field(run.label)
      .field(fmt::format("{}", kernel.id.index()))
      .field(kernel.label)
      .field(kernel.rule.value_or(""))
      .field(kernel.category);
  row.field(fmt::format("{}", fmt::join(kernel.nodes, ";"))).field(kernel.scope).field(number(kernel.events));
  if (kernel.time && run.onlyMeans())
    row.field(fmt::format("{}", kernel.time->meanNs)).field("").field("").field("");
  else if (kernel.time)
    row.field(fmt::format("{}", kernel.time->meanNs))
        .field(fmt::format("{}", kernel.time->totalNs))
        .field(fmt::format("{}", kernel.time->standardDeviationNs))
        .field(fmt::format("{}", kernel.time->medianNs));
  else
    row.field("").field("").field("").field("");
  row.field(kernel.shares ? fmt::format("{}", kernel.shares->ratio) : "");
  row.field(kernel.shares ? number(kernel.shares->maxSpeedup) : "")
      .field(kernel.shares ? number(kernel.shares->maxSpeedupWall) : "");
  row.field(kernel.critical ? (*kernel.critical ? "true" : "false") : "").field(number(kernel.slackNs));
  for (const std::string& value : valuesOfSections) row.field(value);
  row.end();
}

}  // namespace

std::string writeCsv(const Report& report, std::span<const ReportSection> sections) {
  std::string out;
  writeHeader(out, sections);
  for (const RunReport& run : report.runs) {
    std::vector<std::string> values;
    for (const ReportSection& section : sections)
      if (section.column) values.push_back(section.column(run.measured));
    for (const KernelRow& kernel : run.kernels) writeRow(out, run, kernel, values);
  }
  return out;
}

}  // namespace amdahlc
