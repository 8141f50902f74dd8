#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/emit/segment_writers.h"
#include "support/csv_row.h"

namespace amdahlc {
namespace {

/// The columns behind `run`.
struct Values {
  const TimeStatistics* time = nullptr;
  const SegmentCell* cell = nullptr;
  const ComparedTime* compared = nullptr;
};

class SegmentCsvWriter {
 public:
  SegmentCsvWriter(const SegmentTable& table, const ir::Module& module) : table_(table), module_(module) {}

  std::string write() {
    CsvRow header(out_);
    for (const char* name :
         {"kind", "segment", "scope", "nodes", "run", "runs", "mean_ns", "mean_ns_total", "mean_ns_stddev", "failures",
          "kernels_without_events", "share", "times_best", "against_best"})
      header.field(name);
    header.end();
    for (const SegmentRow& row : table_.rows) segment(row);
    for (const SegmentTotals& run : table_.runs) {
      line("compiled", nullptr, run, {&run.compiled.time, nullptr, &run.compiled});
      if (run.uncompiled) line("uncompiled", nullptr, run, {&*run.uncompiled});
      if (run.withUncompiled)
        line("compiled+uncompiled", nullptr, run, {&run.withUncompiled->time, nullptr, &*run.withUncompiled});
    }
    return std::move(out_);
  }

 private:
  void segment(const SegmentRow& row) {
    const ir::Segment& segment = table_.segments.segments[row.segment];
    for (size_t r = 0; r < table_.runs.size(); ++r) {
      if (row.uncompiledBefore[r]) line("uncompiled-before", &segment, table_.runs[r], {&*row.uncompiledBefore[r]});
      const auto& cell = row.cells[r];
      if (!cell) continue;
      const ComparedTime* time = cell->time ? &*cell->time : nullptr;
      line("segment", &segment, table_.runs[r], {time ? &time->time : nullptr, &*cell, time});
    }
  }

  void line(const char* kind, const ir::Segment* segment, const SegmentTotals& run, const Values& values) {
    CsvRow row(out_);
    std::vector<std::string> nodes;
    if (segment)
      for (const ir::OpId op : segment->ops) nodes.push_back(module_.displayName(op));
    row.field(kind)
        .field(segment ? segment->name : "")
        .field(segment ? module_.scopePath(segment->scope) : "")
        .field(fmt::format("{}", fmt::join(nodes, ";")))
        .field(run.run->label)
        .field(fmt::format("{}", run.runs))
        .field(values.time ? fmt::format("{}", values.time->meanNs) : "");
    const bool isExact = values.time && !run.run->onlyMeans();
    row.field(isExact ? fmt::format("{}", values.time->totalNs) : "")
        .field(isExact && run.run->measured.iterations > 1 ? fmt::format("{}", values.time->standardDeviationNs) : "");
    const SegmentCell* cell = values.cell;
    row.field(cell && cell->failures ? fmt::format("{}", *cell->failures) : "")
        .field(cell ? fmt::format("{}", cell->kernelsWithoutEvents) : "")
        .field(cell && cell->time ? fmt::format("{}", cell->share) : "");
    const ComparedTime* compared = values.compared;
    row.field(compared && compared->timesBest ? fmt::format("{}", *compared->timesBest) : "")
        .field(compared ? name(compared->against) : "");
    row.end();
  }

  const SegmentTable& table_;
  const ir::Module& module_;
  std::string out_;
};

}  // namespace

std::string writeSegmentsCsv(const SegmentTable& table, const ir::Module& module) {
  return SegmentCsvWriter(table, module).write();
}

}  // namespace amdahlc
