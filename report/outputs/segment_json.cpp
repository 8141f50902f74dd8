#include "report/outputs/segment_writers.h"

namespace amdahlc {
namespace {

std::optional<double> timesBest(const std::optional<ComparedTime>& time) {
  return time ? time->timesBest : std::nullopt;
}

std::vector<std::string_view> comparisonNames() {
  using enum AgainstBest;
  return {name(Best), name(Slower), name(WithinNoise), name(NoiseUnknown)};
}

std::optional<OneOf<comparisonNames>> againstBest(const std::optional<ComparedTime>& time) {
  if (!time || time->against == AgainstBest::None) return std::nullopt;
  return OneOf<comparisonNames>{name(time->against)};
}

std::optional<double> deviation(const std::optional<ComparedTime>& time, const SegmentTotals& run) {
  if (!time || run.run->onlyMeans() || run.run->measured.iterations <= 1) return std::nullopt;
  return time->time.standardDeviationNs;
}

/// A value for each run.
template <typename ValueOf>
auto valuesOfRuns(const SegmentTable& table, ValueOf valueOf) {
  std::vector<std::pair<std::string, decltype(valueOf(size_t{0}))>> values;
  for (size_t r = 0; r < table.runs.size(); ++r) values.emplace_back(table.runs[r].run->label, valueOf(r));
  return values;
}

std::optional<int64_t> meanNsOf(const std::optional<TimeStatistics>& time) {
  return time ? std::optional(time->meanNs) : std::nullopt;
}

struct CellRow {
  const SegmentTotals& run;
  const SegmentCell& cell;
};

constexpr auto kCellFields = fields(
    field("runs", "iterations, or executions of which the time is the mean",
          [](const CellRow& row) { return row.run.runs; }),
    field("mean_ns",
          "sum of the durations of the bound events; null if no event is bound, although some may be of the segment",
          [](const CellRow& row) { return row.cell.time ? std::optional(row.cell.time->time.meanNs) : std::nullopt; }),
    field("mean_ns_total", "the exact sum over the iterations",
          [](const CellRow& row) {
            return row.cell.time && !row.run.run->onlyMeans() ? std::optional(row.cell.time->time.totalNs)
                                                              : std::nullopt;
          }),
    field("std_ns", "standard deviation over the iterations",
          [](const CellRow& row) { return deviation(row.cell.time, row.run); }),
    field("failures", "iterations in which a kernel has fewer events than in most; null if only means are known",
          [](const CellRow& row) { return row.cell.failures; }),
    field("kernels_without_events",
          "kernels that should have launched, and whose time may be missing; 0 if all device time is explained",
          [](const CellRow& row) { return row.cell.kernelsWithoutEvents; }),
    field("share", "of the run's device time",
          [](const CellRow& row) { return row.cell.time ? std::optional(row.cell.share) : std::nullopt; }),
    field("times_best", "over the shortest time of the segment",
          [](const CellRow& row) { return timesBest(row.cell.time); }),
    field("against_best", "null: not compared", [](const CellRow& row) { return againstBest(row.cell.time); }));

struct ComparedRow {
  const ir::Module& module;
  const SegmentTable& table;
  const SegmentRow& row;
  const ir::Segment& segment() const { return table.segments.segments[row.segment]; }
};

constexpr auto kSegmentRowFields = fields(
    field("name", "unique", [](const ComparedRow& row) { return row.segment().name; }),
    field("scope", "empty if the segment is no module scope",
          [](const ComparedRow& row) { return row.module.scopePath(row.segment().scope); }),
    field("nodes", "names",
          [](const ComparedRow& row) {
            std::vector<std::string> names;
            for (const ir::OpId op : row.segment().ops) names.push_back(row.module.displayName(op));
            return names;
          }),
    objectsByName<kCellFields>("cells", "by label of the run; a run without one did nothing there",
                               [](const ComparedRow& row) {
                                 std::vector<std::pair<std::string, CellRow>> cells;
                                 for (size_t r = 0; r < row.row.cells.size(); ++r)
                                   if (row.row.cells[r])
                                     cells.emplace_back(row.table.runs[r].run->label,
                                                        CellRow{row.table.runs[r], *row.row.cells[r]});
                                 return cells;
                               }),
    field("uncompiled_before", "time outside of segments that ended with an event of this one; null without a window",
          [](const ComparedRow& row) {
            return valuesOfRuns(row.table, [&](size_t r) { return meanNsOf(row.row.uncompiledBefore[r]); });
          }));

constexpr auto kSegmentTotalFields =
    fields(field("compiled_ns", "of all segments", [](const SegmentTotals& run) { return run.compiled.time.meanNs; }),
           field("with_uncompiled_ns", "null without a window",
                 [](const SegmentTotals& run) {
                   return run.withUncompiled ? std::optional(run.withUncompiled->time.meanNs) : std::nullopt;
                 }),
           field("compiled_against_best", "of `compiled_ns`; null: not compared",
                 [](const SegmentTotals& run) { return againstBest(run.compiled); }),
           field("std_ns", "standard deviation of `with_uncompiled_ns`",
                 [](const SegmentTotals& run) { return deviation(run.withUncompiled, run); }),
           field("other_device_ns", "device time of events of no segment",
                 [](const SegmentTotals& run) { return run.otherDevice.meanNs; }),
           field("times_best", "of `with_uncompiled_ns`",
                 [](const SegmentTotals& run) { return timesBest(run.withUncompiled); }),
           field("against_best", "of `with_uncompiled_ns`; null: not compared",
                 [](const SegmentTotals& run) { return againstBest(run.withUncompiled); }));

constexpr auto kTableOfSegments = fields(
    field("labels", "of the runs",
          [](const ComparedRuns& runs) {
            std::vector<std::string> labels;
            for (const SegmentTotals& run : runs.table->runs) labels.push_back(run.run->label);
            return labels;
          }),
    objects<kSegmentRowFields>("segments", "in the order of the model, without those in which no run did anything",
                               [](const ComparedRuns& runs) {
                                 std::vector<ComparedRow> rows;
                                 for (const SegmentRow& row : runs.table->rows)
                                   rows.push_back({*runs.module, *runs.table, row});
                                 return rows;
                               }),
    field("uncompiled", "nanoseconds of the window outside of segments; null without a window",
          [](const ComparedRuns& runs) {
            return valuesOfRuns(*runs.table, [&](size_t r) { return meanNsOf(runs.table->runs[r].uncompiled); });
          }),
    objectsByName<kSegmentTotalFields>("totals", "",
                                       [](const ComparedRuns& runs) {
                                         std::vector<std::pair<std::string, const SegmentTotals&>> rows;
                                         for (const SegmentTotals& run : runs.table->runs)
                                           rows.emplace_back(run.run->label, run);
                                         return rows;
                                       }),
    field("caveats", "what restricts the comparison, as sentences",
          [](const ComparedRuns& runs) { return runs.table->caveats; }),
    field("discarded", "the iteration that is left out as warm-up", [](const ComparedRuns& runs) {
      return valuesOfRuns(*runs.table, [&](size_t r) { return runs.table->runs[r].discarded; });
    }));

}  // namespace

constinit const std::span<const Field<ComparedRuns>> kSegmentFields = kTableOfSegments;

}  // namespace amdahlc
