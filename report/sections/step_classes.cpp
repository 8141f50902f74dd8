#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/runtimes/server_steps.h"
#include "replay/timeline/timeline.h"
#include "replay/timeline/totals.h"
#include "report/section.h"
#include "report/text_table.h"
#include "support/decimal_time.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// The selected iterations that are steps of a class of a server.
struct StepClassRow {
  std::string_view name;
  int64_t iterations;
  TimeStatistics busy;
  /// nullopt if one of them has none.
  std::optional<TimeStatistics> wall, window;
};

/// In the order of the classes; nullopt if no selected iteration is a step of a server.
std::optional<std::vector<StepClassRow>> stepClassRows(const ReportRun& run) {
  if (run.timeline == nullptr) return std::nullopt;
  const Timeline& timeline = *run.timeline;
  const std::vector<IterationTimes> times = iterationTimes(timeline);
  std::vector<StepClassRow> rows;
  for (size_t i = 0; i < kStepClassNames.size(); ++i) {
    std::vector<IterationTimes> own;
    std::vector<int64_t> busyNs;
    for (size_t iteration = 0; iteration < times.size(); ++iteration) {
      const Iteration& one = timeline.iterations[iteration];
      if (!one.selected() || stepClass(one.name) != static_cast<StepClass>(i)) continue;
      own.push_back(times[iteration]);
      busyNs.push_back(times[iteration].busyNs);
    }
    if (own.empty()) continue;
    const auto statistics = [&](const std::optional<std::vector<int64_t>>& samples) {
      return samples ? std::optional(timeStatistics(*samples, timeline.average)) : std::nullopt;
    };
    rows.push_back({kStepClassNames[i], static_cast<int64_t>(own.size()), timeStatistics(busyNs, timeline.average),
                    statistics(wallsOf(own)), statistics(windowsOf(own))});
  }
  return rows.empty() ? std::nullopt : std::optional(std::move(rows));
}

constexpr auto kStepClassFields = fields<StepClassRow>(
    field<&StepClassRow::name>("name", "`prefill`, `decode` or `mixed`"),
    field<&StepClassRow::iterations>("iterations", "selected ones of the class"),
    field("busy_ns", "over them, as `trace.statistic` says", [](auto& row) { return row.busy.reportedNs; }),
    field("wall_ns", "the same; null without starts", [](auto& row) { return reportedNsOf(row.wall); }),
    field("window_ns", "the same; null without one", [](auto& row) { return reportedNsOf(row.window); }));

constexpr auto kStepClassesRunFields = fields<ReportRun>(
    objects<kStepClassFields>("step_classes", "iterations by the class of a server's step; null if none is such a step",
                              [](auto& run) { return stepClassRows(run); }));

/// A run of one class has no table.
std::string stepClassesDetails(const ReportRun& run) {
  const auto rows = stepClassRows(run);
  if (!rows || rows->size() < 2) return {};
  using enum TextTable::Align;
  TextTable table;
  table.column("steps", Left);
  for (const std::string_view column : {"iterations", "busy us", "wall us", "window us"})
    table.column(std::string(column), Right);
  const auto text = [](const std::optional<TimeStatistics>& time) { return time ? formatUs(time->reportedNs) : "-"; };
  for (const StepClassRow& row : *rows)
    table.row(
        {std::string(row.name), std::to_string(row.iterations), text(row.busy), text(row.wall), text(row.window)});
  constexpr unsigned kColumns = 80;
  return "steps of the server by class; figures above are of all of them, `-annotation` chooses\n" +
         table.print(kColumns);
}

}  // namespace

constinit const ReportSection kStepClassesSection{.runFields = kStepClassesRunFields, .details = stepClassesDetails};

}  // namespace amdahlc
