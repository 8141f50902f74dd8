#include "report/outputs/segment_writers.h"

#include <algorithm>

#include "report/fields_text.h"
#include "report/outputs/output_options.h"
#include "report/segment_times.h"

namespace amdahlc {
namespace {

using comparison::Change;

// The fields.

constexpr std::string_view kBest = "best";

std::vector<std::string_view> comparisonNames() {
  using enum Change;
  return {kBest, name(Slower), name(WithinNoise), name(NoiseUnknown)};
}

std::optional<OneOf<comparisonNames>> againstBest(const ComparedTime& time) {
  if (!time.isBest && !time.change) return std::nullopt;
  return OneOf<comparisonNames>{time.isBest ? kBest : name(*time.change)};
}

/// A value for each run.
template <typename ValueOf>
auto valuesOfRuns(const SegmentTable& table, ValueOf valueOf) {
  std::vector<std::pair<std::string, decltype(valueOf(size_t{0}))>> values;
  for (size_t r = 0; r < table.runs.size(); ++r) values.emplace_back(table.runs[r].run->label, valueOf(r));
  return values;
}

/// A time of a run: of a segment, before a segment, or in all.
struct SegmentLine {
  const SegmentTotals& run;
  /// Null where the time is not known.
  const TimeStatistics* time = nullptr;
  /// Null of a time that is compared with no other.
  const ComparedTime* compared = nullptr;
  /// Null of what is no time of a segment.
  const SegmentCell* cell = nullptr;

  bool isExact() const { return time != nullptr && !run.run->onlyMeans(); }
  /// Whether the time is known, and of a segment.
  bool isOfSegment() const { return time != nullptr && cell != nullptr; }
  std::optional<double> share() const { return isOfSegment() ? std::optional(cell->share) : std::nullopt; }
  std::optional<double> deviationNs() const {
    return isExact() && run.runs > 1 ? std::optional(time->standardDeviationNs) : std::nullopt;
  }
};

SegmentLine segmentLine(const SegmentTotals& run, const TimeStatistics& time) { return {run, &time}; }
SegmentLine segmentLine(const SegmentTotals& run, const ComparedTime& time) { return {run, &time.time, &time}; }
SegmentLine segmentLine(const SegmentTotals& run, const SegmentCell& cell) {
  if (!cell.time) return {run, nullptr, nullptr, &cell};
  return {run, &cell.time->time, &*cell.time, &cell};
}

/// A number that every cell in JSON has, but not every row of CSV.
struct CountOfCell {
  std::optional<int64_t> value;
  static schema::Json schema() { return schema::count(); }
  schema::Json json() const { return FieldValue<std::optional<int64_t>>::json(value); }
};

constexpr auto kCellFields = inCsv(fields<SegmentLine>(
    field("runs", "iterations, or executions of which the time is the mean", [](auto& row) { return row.run.runs; }),
    field("duration_ns",
          "sum of the durations of the bound events; null if no event is bound, although some may be of the segment",
          [](auto& row) { return row.time ? std::optional(row.time->reportedNs) : std::nullopt; }),
    field("mean_ns", "the mean of it over the iterations",
          [](auto& row) { return row.time ? std::optional(row.time->meanNs) : std::nullopt; }),
    field("mean_ns_total", "the exact sum over the iterations",
          [](auto& row) { return row.isExact() ? std::optional(row.time->totalNs) : std::nullopt; }),
    inCsv(field("std_ns", "standard deviation over the iterations", [](auto& row) { return row.deviationNs(); }),
          "mean_ns_stddev"),
    field("failures", "iterations in which a kernel has fewer events than in most; null if only means are known",
          [](auto& row) { return row.cell ? row.cell->failures : std::nullopt; }),
    field(
        "kernels_without_events",
        "kernels that should have launched, and whose time may be missing; 0 if all device time is explained",
        [](auto& row) { return CountOfCell{row.cell ? std::optional(row.cell->kernelsWithoutEvents) : std::nullopt}; }),
    field("share", "of the run's device time", [](auto& row) { return row.share(); }),
    field("times_best", "over the shortest time of the segment",
          [](auto& row) { return row.compared ? row.compared->timesBest : std::nullopt; }),
    field("against_best", "null: not compared",
          [](auto& row) { return row.compared ? againstBest(*row.compared) : std::nullopt; })));

std::vector<std::string> nodeNames(const ir::Module& module, const ir::Segment& segment) {
  std::vector<std::string> names;
  for (const ir::OpId op : segment.ops) names.push_back(module.displayName(op));
  return names;
}

template <typename Row>
constexpr auto kNameFields =
    inCsv(fields<Row>(inCsv(field("name", "unique", [](auto& row) { return row.segment().name; }), "segment"),
                      field("scope", "empty if the segment is no module scope",
                            [](auto& row) { return row.table.module->scopePath(row.segment().scope); }),
                      field("nodes", "names", [](auto& row) { return nodeNames(*row.table.module, row.segment()); })));

struct ComparedRow {
  const SegmentTable& table;
  const SegmentRow& row;
  const ir::Segment& segment() const { return table.segments.segments[row.segment]; }
};

/// A row of CSV.
struct SegmentCsvRow : SegmentLine {
  const SegmentTable& table;
  std::string_view kind;
  /// Null of the totals of a run.
  const SegmentRow* row = nullptr;
  const ir::Segment& segment() const {
    static const ir::Segment kNoSegment{};
    return row != nullptr ? table.segments.segments[row->segment] : kNoSegment;
  }
};

constexpr auto kFirstColumns =
    inCsv(fields<SegmentCsvRow>(field<&SegmentCsvRow::kind>("kind", ""), kNameFields<SegmentCsvRow>,
                                field("run", "", [](auto& row) { return row.run.run->label; })));

constexpr auto kSegmentRowFields = fields<ComparedRow>(
    kNameFields<ComparedRow>,
    objectsByName<kCellFields>("cells", "by label of the run; a run without one did nothing there",
                               [](auto& row) {
                                 std::vector<std::pair<std::string, SegmentLine>> cells;
                                 for (size_t r = 0; r < row.row.cells.size(); ++r)
                                   if (row.row.cells[r])
                                     cells.emplace_back(row.table.runs[r].run->label,
                                                        segmentLine(row.table.runs[r], *row.row.cells[r]));
                                 return cells;
                               }),
    field("uncompiled_before", "time outside of segments that ended with an event of this one; null without a window",
          [](auto& row) {
            return valuesOfRuns(row.table, [&](size_t r) { return reportedNsOf(row.row.uncompiledBefore[r]); });
          }));

constexpr auto kSegmentTotalFields = fields<SegmentTotals>(
    field("compiled_ns", "of all segments", [](auto& run) { return run.compiled.time.reportedNs; }),
    field("with_uncompiled_ns", "null without a window",
          [](auto& run) {
            return run.withUncompiled ? std::optional(run.withUncompiled->time.reportedNs) : std::nullopt;
          }),
    field("compiled_against_best", "of `compiled_ns`; null: not compared",
          [](auto& run) { return againstBest(run.compiled); }),
    field("std_ns", "standard deviation of `with_uncompiled_ns`",
          [](auto& run) {
            return run.withUncompiled ? segmentLine(run, *run.withUncompiled).deviationNs() : std::nullopt;
          }),
    field("other_device_ns", "device time of events of no segment",
          [](auto& run) { return run.otherDevice.reportedNs; }),
    field("times_best", "of `with_uncompiled_ns`",
          [](auto& run) { return run.withUncompiled ? run.withUncompiled->timesBest : std::nullopt; }),
    field("against_best", "of `with_uncompiled_ns`; null: not compared",
          [](auto& run) { return run.withUncompiled ? againstBest(*run.withUncompiled) : std::nullopt; }));

constexpr auto kTableOfSegments = fields<SegmentTable>(
    field("labels", "of the runs",
          [](auto& table) {
            std::vector<std::string> labels;
            for (const SegmentTotals& run : table.runs) labels.push_back(run.run->label);
            return labels;
          }),
    objects<kSegmentRowFields>("segments", "in the order of the model, without those in which no run did anything",
                               [](auto& table) { return rowsOf<ComparedRow>(table, table.rows); }),
    field("uncompiled", "nanoseconds of the window outside of segments; null without a window",
          [](auto& table) {
            return valuesOfRuns(table, [&](size_t r) { return reportedNsOf(table.runs[r].uncompiled); });
          }),
    objectsByName<kSegmentTotalFields>("totals", "",
                                       [](auto& table) {
                                         std::vector<std::pair<std::string, const SegmentTotals&>> rows;
                                         for (const SegmentTotals& run : table.runs)
                                           rows.emplace_back(run.run->label, run);
                                         return rows;
                                       }),
    field<&SegmentTable::caveats>("caveats", "what restricts the comparison, as sentences"),
    field("discarded", "the iteration that is left out as warm-up; of several recordings all of them",
          [](auto& table) { return valuesOfRuns(table, [&](size_t r) { return table.runs[r].discarded; }); }));

/// One row for each segment, uncompiled time and total of each run.
std::string writeSegmentsCsv(const OutputContext& context) {
  const SegmentTable table = segmentTable(context.reported(), context.report.segments);
  std::vector<SegmentCsvRow> rows;
  const auto add = [&](std::string_view kind, const SegmentLine& line, const SegmentRow* row = nullptr) {
    rows.push_back({line, table, kind, row});
  };
  for (const SegmentRow& row : table.rows)
    for (size_t r = 0; r < table.runs.size(); ++r) {
      if (row.uncompiledBefore[r]) add("uncompiled-before", segmentLine(table.runs[r], *row.uncompiledBefore[r]), &row);
      if (row.cells[r]) add("segment", segmentLine(table.runs[r], *row.cells[r]), &row);
    }
  for (const SegmentTotals& run : table.runs) {
    add("compiled", segmentLine(run, run.compiled));
    if (run.uncompiled) add("uncompiled", segmentLine(run, *run.uncompiled));
    if (run.withUncompiled) add("compiled+uncompiled", segmentLine(run, *run.withUncompiled));
  }
  return writeCsv(rows, kFirstColumns, kCellFields);
}

}  // namespace

constinit const std::span<const Field<SegmentTable>> kSegmentFields = kTableOfSegments;

constinit const Output kCompareOutput{
    .name = "compare",
    .summary = "the runs side by side, by segments of the model that all of them execute as a whole",
    .needs = ir::Facet::Timed,
    .write =
        [](const OutputContext& context) {
          const SegmentTable table = segmentTable(context.reported(), context.report.segments);
          return writeSegmentsText(table, context.style);
        },
    .options = kOptionsOfComparisons};
constinit const Output kCompareCsvOutput{.name = "compare-csv",
                                         .summary = "the same as CSV, one row for each segment of each run",
                                         .needs = ir::Facet::Timed,
                                         .write = writeSegmentsCsv,
                                         .isCsv = true,
                                         .options = kOptionsOfComparisons};

}  // namespace amdahlc
