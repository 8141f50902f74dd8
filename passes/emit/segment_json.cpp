#include "passes/emit/segment_writers.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// A value for each run.
template <typename ValueOf>
std::vector<std::pair<std::string, Json>> valuesOfRuns(const SegmentTable& table, ValueOf valueOf) {
  std::vector<std::pair<std::string, Json>> values;
  for (size_t r = 0; r < table.runs.size(); ++r) values.emplace_back(table.runs[r].run->label, valueOf(r));
  return values;
}

Json meanOrNull(const std::optional<TimeStatistics>& time) { return time ? Json(time->meanNs) : Json(nullptr); }

std::optional<double> timesBest(const std::optional<ComparedTime>& time) {
  return time ? time->timesBest : std::nullopt;
}

Json againstBest(const std::optional<ComparedTime>& time) {
  return time ? nonEmpty(std::string(name(time->against))) : Json(nullptr);
}

schema::Json againstBestSchema() {
  using enum AgainstBest;
  return schema::orNull(schema::oneOf({name(Best), name(Slower), name(WithinNoise), name(NoiseUnknown)}));
}

struct Cell {
  const SegmentTotals& run;
  const SegmentCell& cell;
};

/// Figures over several iterations, if known.
template <typename Figure>
Json exactly(const std::optional<ComparedTime>& time, const SegmentTotals& run, Figure figure) {
  return time && !run.run->onlyMeans() ? Json(time->time.*figure) : Json(nullptr);
}

Json deviation(const std::optional<ComparedTime>& time, const SegmentTotals& run) {
  return run.run->measured.iterations > 1 ? exactly(time, run, &TimeStatistics::standardDeviationNs) : Json(nullptr);
}

JsonFields<Cell> cellFields() {
  return {
      jsonField<Cell>("runs", schema::count(), "iterations, or executions of which the time is the mean",
                      [](auto& row) { return row.run.runs; }),
      jsonField<Cell>(
          "mean_ns", schema::orNull(schema::count()),
          "sum of the durations of the bound events; null if no event is bound, although some may be of the segment",
          [](auto& row) { return row.cell.time ? Json(row.cell.time->time.meanNs) : Json(nullptr); }),
      jsonField<Cell>("mean_ns_total", schema::orNull(schema::count()), "the exact sum over the iterations",
                      [](auto& row) { return exactly(row.cell.time, row.run, &TimeStatistics::totalNs); }),
      jsonField<Cell>("std_ns", schema::orNull(schema::quantity()), "standard deviation over the iterations",
                      [](auto& row) { return deviation(row.cell.time, row.run); }),
      jsonField<Cell>("failures", schema::orNull(schema::count()),
                      "iterations in which a kernel has fewer events than in most; null if only means are known",
                      [](auto& row) { return orNull(row.cell.failures); }),
      jsonField<Cell>(
          "kernels_without_events", schema::count(),
          "kernels that should have launched, and whose time may be missing; 0 if all device time is explained",
          [](auto& row) { return row.cell.kernelsWithoutEvents; }),
      jsonField<Cell>("share", schema::orNull(schema::quantity()), "of the run's device time",
                      [](auto& row) { return row.cell.time ? Json(row.cell.share) : Json(nullptr); }),
      jsonField<Cell>("times_best", schema::orNull(schema::quantity()), "over the shortest time of the segment",
                      [](auto& row) { return orNull(timesBest(row.cell.time)); }),
      jsonField<Cell>("against_best", againstBestSchema(), "null: not compared",
                      [](auto& row) { return againstBest(row.cell.time); }),
  };
}

struct Row {
  const ir::Module& module;
  const SegmentTable& table;
  const SegmentRow& row;
  const ir::Segment& segment() const { return table.segments.segments[row.segment]; }
};

JsonFields<Row> rowFields() {
  return {
      jsonField<Row>("name", schema::text(), "unique", [](auto& row) { return row.segment().name; }),
      jsonField<Row>("scope", schema::text(), "empty if the segment is no module scope",
                     [](auto& row) { return row.module.scopePath(row.segment().scope); }),
      jsonField<Row>("nodes", schema::arrayOf(schema::text()), "names",
                     [](auto& row) {
                       Json names = Json::array();
                       for (const ir::OpId op : row.segment().ops) names.push_back(row.module.displayName(op));
                       return names;
                     }),
      jsonByName<Row>("cells", "by label of the run; a run without one did nothing there", cellFields(),
                      [](const Row& row) {
                        std::vector<std::pair<std::string, Cell>> cells;
                        for (size_t r = 0; r < row.row.cells.size(); ++r)
                          if (row.row.cells[r])
                            cells.emplace_back(row.table.runs[r].run->label,
                                               Cell{row.table.runs[r], *row.row.cells[r]});
                        return cells;
                      }),
      jsonValuesByName<Row>("uncompiled_before", schema::orNull(schema::count()),
                            "time outside of segments that ended with an event of this one; null without a window",
                            [](const Row& row) {
                              return valuesOfRuns(row.table,
                                                  [&](size_t r) { return meanOrNull(row.row.uncompiledBefore[r]); });
                            }),
  };
}

JsonFields<const SegmentTotals*> totalFields() {
  using Totals = const SegmentTotals*;
  return {
      jsonField<Totals>("compiled_ns", schema::count(), "of all segments",
                        [](auto& run) { return run->compiled.time.meanNs; }),
      jsonField<Totals>(
          "with_uncompiled_ns", schema::orNull(schema::count()), "null without a window",
          [](auto& run) { return run->withUncompiled ? Json(run->withUncompiled->time.meanNs) : Json(nullptr); }),
      jsonField<Totals>("compiled_against_best", againstBestSchema(), "of `compiled_ns`; null: not compared",
                        [](auto& run) { return againstBest(run->compiled); }),
      jsonField<Totals>("std_ns", schema::orNull(schema::quantity()), "standard deviation of `with_uncompiled_ns`",
                        [](auto& run) { return deviation(run->withUncompiled, *run); }),
      jsonField<Totals>("other_device_ns", schema::count(), "device time of events of no segment",
                        [](auto& run) { return run->otherDevice.meanNs; }),
      jsonField<Totals>("times_best", schema::orNull(schema::quantity()), "of `with_uncompiled_ns`",
                        [](auto& run) { return orNull(timesBest(run->withUncompiled)); }),
      jsonField<Totals>("against_best", againstBestSchema(), "of `with_uncompiled_ns`; null: not compared",
                        [](auto& run) { return againstBest(run->withUncompiled); }),
  };
}

}  // namespace

JsonFields<ComparedRuns> segmentFields() {
  using Runs = ComparedRuns;
  return {
      jsonField<Runs>("labels", schema::arrayOf(schema::text()), "of the runs",
                      [](auto& runs) {
                        Json labels = Json::array();
                        for (const SegmentTotals& run : runs.table->runs) labels.push_back(run.run->label);
                        return labels;
                      }),
      jsonArray<Runs>("segments", "in the order of the model, without those in which no run did anything", rowFields(),
                      [](const Runs& runs) {
                        std::vector<Row> rows;
                        for (const SegmentRow& row : runs.table->rows) rows.push_back({*runs.module, *runs.table, row});
                        return rows;
                      }),
      jsonValuesByName<Runs>("uncompiled", schema::orNull(schema::count()),
                             "nanoseconds of the window outside of segments; null without a window",
                             [](const Runs& runs) {
                               return valuesOfRuns(
                                   *runs.table, [&](size_t r) { return meanOrNull(runs.table->runs[r].uncompiled); });
                             }),
      jsonByName<Runs>("totals", "", totalFields(),
                       [](const Runs& runs) {
                         std::vector<std::pair<std::string, const SegmentTotals*>> rows;
                         for (const SegmentTotals& run : runs.table->runs) rows.emplace_back(run.run->label, &run);
                         return rows;
                       }),
      jsonField<Runs>("caveats", schema::arrayOf(schema::text()), "what restricts the comparison, as sentences",
                      [](auto& runs) { return runs.table->caveats; }),
      jsonValuesByName<Runs>("discarded", schema::orNull(schema::text()), "the iteration that is left out as warm-up",
                             [](const Runs& runs) {
                               return valuesOfRuns(*runs.table,
                                                   [&](size_t r) { return orNull(runs.table->runs[r].discarded); });
                             }),
  };
}

}  // namespace amdahlc
