#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "passes/host/host_analysis.h"
#include "passes/timing/forwards_analysis.h"
#include "report/section.h"
#include "report/text_table.h"
#include "support/decimal_time.h"

namespace amdahlc {
namespace {

/// Rows of the table of the summary; reports have all.
constexpr size_t kShownGroups = 10;
constexpr unsigned kColumns = 80;

struct ForwardRow {
  const ReportRun& run;
  const ForwardGroups& all;
  const ForwardGroup& group;

  /// In an iteration, the mean of the selected ones.
  double forwards() const {
    const auto iterations = std::max<int64_t>(run.timeline->selectedIterationCount(), 1);
    return static_cast<double>(group.members.size()) / static_cast<double>(iterations);
  }
  int64_t busyNs() const { return all.busyNs(*run.timeline, group); }
  std::optional<int64_t> wallNs() const { return all.wallNs(*run.timeline, group); }
};

/// nullopt where forwards are not known.
std::optional<std::vector<ForwardRow>> forwardRows(const ReportRun& run) {
  if (run.facts<HostAnalysis>() == nullptr) return std::nullopt;
  const ForwardGroups* all = run.analyses->get<ForwardsAnalysis>(run.id).known();
  if (all == nullptr) return std::nullopt;
  std::vector<ForwardRow> rows;
  for (const ForwardGroup& group : all->groups) rows.push_back({run, *all, group});
  return rows;
}

constexpr auto kForwardFields = fields<ForwardRow>(
    field("name", "`forward`, `prefill`, `decode`, or one of these with a number",
          [](auto& row) { return row.group.name; }),
    field("forwards", "in an iteration, the mean", [](auto& row) { return PredictedNs{row.forwards()}; }),
    field("forwards_total", "in all selected iterations",
          [](auto& row) { return static_cast<int64_t>(row.group.members.size()); }),
    field("busy_ns", "of one forward: union of its device events", [](auto& row) { return row.busyNs(); }),
    field("wall_ns", "of one forward: from its first device event to the end of the last one; null without starts",
          [](auto& row) { return row.wallNs(); }));

constexpr auto kForwardsRunFields = fields<ReportRun>(objects<kForwardFields>(
    "forward_groups", "forwards that do the same, in order of first occurrence; null without host",
    [](auto& run) { return forwardRows(run); }));

/// A run with one forward in each iteration has no table.
std::string forwardsDetails(const ReportRun& run) {
  if (run.facts<HostAnalysis>() == nullptr) return {};
  if (const auto absence = run.analyses->get<ForwardsAnalysis>(run.id).absence();
      absence && absence->reason == Absence::Reason::ForwardsOverlap)
    return fmt::format("no forwards: {}\n", describe(*absence));
  const auto rows = forwardRows(run);
  const auto isOne = [](const ForwardRow& row) { return row.forwards() <= 1; };
  if (!rows || (rows->size() < 2 && std::ranges::all_of(*rows, isOne))) return {};
  using enum TextTable::Align;
  TextTable table;
  table.column("group", Left);
  table.column("forwards", Right);
  table.column("busy us", Right);
  table.column("wall us", Right);
  for (const ForwardRow& row : *rows | std::views::take(kShownGroups)) {
    const auto wallNs = row.wallNs();
    table.row({row.group.name, fmt::format("{:.4g}", row.forwards()), formatUs(row.busyNs()),
               wallNs ? formatUs(*wallNs) : "-"});
  }
  const std::string shown =
      rows->size() > kShownGroups ? fmt::format(" ({} of {}; all in -emit=json)", kShownGroups, rows->size()) : "";
  return fmt::format("forwards{}, counted per iteration, times of one\n{}", shown, table.print(kColumns));
}

}  // namespace

constinit const ReportSection kForwardsSection{.runFields = kForwardsRunFields, .details = forwardsDetails};

}  // namespace amdahlc
