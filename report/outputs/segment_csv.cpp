#include "report/fields_csv.h"
#include "report/outputs/output_options.h"
#include "report/segment_times.h"

namespace amdahlc {
namespace {

struct SegmentLine {
  const ir::Module& module;
  std::string_view kind;
  /// Null of the totals of a run.
  const ir::Segment* segment;
  const SegmentTotals& run;
  /// Null where the time is not known.
  const TimeStatistics* time;
  const SegmentCell* cell = nullptr;
  const ComparedTime* compared = nullptr;

  bool isExact() const { return time != nullptr && !run.run->onlyMeans(); }
};

constexpr auto kLineFields = fields(
    field<&SegmentLine::kind>("kind", ""),
    field("segment", "", [](const SegmentLine& row) { return row.segment ? row.segment->name : std::string(); }),
    field(
        "scope", "",
        [](const SegmentLine& row) { return row.segment ? row.module.scopePath(row.segment->scope) : std::string(); }),
    field("nodes", "",
          [](const SegmentLine& row) {
            std::vector<std::string> names;
            if (row.segment)
              for (const ir::OpId op : row.segment->ops) names.push_back(row.module.displayName(op));
            return names;
          }),
    field("run", "", [](const SegmentLine& row) { return row.run.run->label; }),
    field("runs", "", [](const SegmentLine& row) { return row.run.runs; }),
    field("mean_ns", "",
          [](const SegmentLine& row) { return row.time ? std::optional(row.time->meanNs) : std::nullopt; }),
    field("mean_ns_total", "",
          [](const SegmentLine& row) { return row.isExact() ? std::optional(row.time->totalNs) : std::nullopt; }),
    field("mean_ns_stddev", "",
          [](const SegmentLine& row) {
            return row.isExact() && row.run.run->measured.iterations > 1 ? std::optional(row.time->standardDeviationNs)
                                                                         : std::nullopt;
          }),
    field("failures", "", [](const SegmentLine& row) { return row.cell ? row.cell->failures : std::nullopt; }),
    field(
        "kernels_without_events", "",
        [](const SegmentLine& row) { return row.cell ? std::optional(row.cell->kernelsWithoutEvents) : std::nullopt; }),
    field("share", "",
          [](const SegmentLine& row) {
            return row.cell && row.cell->time ? std::optional(row.cell->share) : std::nullopt;
          }),
    field("times_best", "",
          [](const SegmentLine& row) { return row.compared ? row.compared->timesBest : std::nullopt; }),
    field("against_best", "",
          [](const SegmentLine& row) { return row.compared ? name(row.compared->against) : std::string_view(); }));

/// One row for each segment, uncompiled time and total of each run.
std::string writeSegments(const OutputContext& context) {
  const ir::Module& module = context.module;
  const SegmentTable table = segmentTable(context.reported(), context.report.segments);
  std::vector<SegmentLine> lines;
  for (const SegmentRow& row : table.rows) {
    const ir::Segment* segment = &table.segments.segments[row.segment];
    for (size_t r = 0; r < table.runs.size(); ++r) {
      if (row.uncompiledBefore[r])
        lines.push_back({module, "uncompiled-before", segment, table.runs[r], &*row.uncompiledBefore[r]});
      const auto& cell = row.cells[r];
      if (!cell) continue;
      const ComparedTime* time = cell->time ? &*cell->time : nullptr;
      lines.push_back({module, "segment", segment, table.runs[r], time ? &time->time : nullptr, &*cell, time});
    }
  }
  for (const SegmentTotals& run : table.runs) {
    lines.push_back({module, "compiled", nullptr, run, &run.compiled.time, nullptr, &run.compiled});
    if (run.uncompiled) lines.push_back({module, "uncompiled", nullptr, run, &*run.uncompiled});
    if (run.withUncompiled)
      lines.push_back(
          {module, "compiled+uncompiled", nullptr, run, &run.withUncompiled->time, nullptr, &*run.withUncompiled});
  }
  return writeCsv(kLineFields, lines);
}

}  // namespace

constinit const Output kCompareCsvOutput{.name = "compare-csv",
                                         .summary = "the same as CSV, one row for each segment of each run",
                                         .needs = ir::Facet::Timed,
                                         .write = writeSegments,
                                         .isCsv = true,
                                         .options = kOptionsOfComparisons};

}  // namespace amdahlc
