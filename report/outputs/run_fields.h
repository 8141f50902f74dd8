/// Fields of the rows of a run that JSON, CSV and the summary show.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/fields.h"
#include "report/report.h"
#include "support/data_problems.h"

namespace amdahlc {

struct RunKernelRow {
  const RunReport& run;
  const KernelRow& kernel;
  // NOLINTNEXTLINE(google-explicit-constructor): it is the row of sections, too.
  operator ReportKernel() const { return {run, kernel.id}; }
};
struct GroupRow {
  const RunReport& run;
  const AggregateRow& group;
  /// Of a scope: its own kernels alone.
  const AggregateRow* own = nullptr;
};
struct UnboundEventRow {
  const RunReport& run;
  const UnboundRow& event;
};

/// Its spread is unknown where all times are means of several executions.
inline std::optional<ReportedTime> reported(const RunReport& run, const std::optional<TimeStatistics>& time) {
  if (!time) return std::nullopt;
  return ReportedTime{*time, run.onlyMeans()};
}

/// A number over all executions, if known.
inline std::optional<int64_t> exactly(const RunReport& run, const std::optional<int64_t>& total) {
  return run.onlyMeans() ? std::nullopt : total;
}

/// The names of all states of a kind, in the order of the enumerators.
template <auto last>
inline std::vector<std::string_view> stateNames() {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) names.push_back(ir::name(static_cast<decltype(last)>(i)));
  return names;
}
using KernelStateName = OneOf<stateNames<ir::KernelState::Ambiguous>>;
using NodeStateName = OneOf<stateNames<ir::NodeState::Missed>>;

/// The state of a kernel or a node. Before binding, only states from `simplify` and the rules are known. A state that
/// needs the trace is null.
template <typename Name, typename State>
inline std::optional<Name> stateOf(const RunReport& run, State state) {
  if (run.timeline == nullptr && !ir::isKnownWithoutTrace(state)) return std::nullopt;
  return Name{ir::name(state)};
}

/// `ratio` and the two limits. `sharesOf` returns an optional `Shares`.
template <typename Function, typename Row = RowOf<Function>>
consteval auto shareFields(Function /*sharesOf*/) {
  return fields(field("ratio", "of busy time",
                      [](const Row& row) {
                        const std::optional<Shares> shares = Function{}(row);
                        return shares ? std::optional(shares->ratio) : std::nullopt;
                      }),
                field("max_speedup", "of busy time if this cost nothing; null: infinite",
                      [](const Row& row) {
                        const std::optional<Shares> shares = Function{}(row);
                        return shares ? shares->maxSpeedup : std::nullopt;
                      }),
                field("max_speedup_wall", "of wall time, with idle time kept; null: infinite, or wall is unknown",
                      [](const Row& row) {
                        const std::optional<Shares> shares = Function{}(row);
                        return shares ? shares->maxSpeedupWall : std::nullopt;
                      }));
}

inline constexpr auto kFirstKernelFields = fields(
    inCsv(fields(
        field("id", "rank in the order of the kernel graph", [](const RunKernelRow& row) { return row.kernel.id; }),
        field("label", "of the rule, else the operators", [](const RunKernelRow& row) { return row.kernel.label; }),
        field("rule", "null: an operator that no rule covers", [](const RunKernelRow& row) { return row.kernel.rule; }),
        field("category", "of the rule, else `other`", [](const RunKernelRow& row) { return row.kernel.category; }),
        field("nodes", "names, anchor first", [](const RunKernelRow& row) { return row.kernel.nodes; }),
        field("scope", "module scope of the anchor; may be empty",
              [](const RunKernelRow& row) { return row.kernel.scope; }))),
    field("state", "null if it needs a trace and there is none",
          [](const RunKernelRow& row) { return stateOf<KernelStateName>(row.run, row.kernel.state); }),
    field("reason", "why it was missed", [](const RunKernelRow& row) { return nonEmpty(row.kernel.missReason); }),
    field("trip_count", "of a loop, if known from events",
          [](const RunKernelRow& row) { return row.kernel.tripCount; }),
    inCsv(field("events", "per iteration, rounded half to even",
                [](const RunKernelRow& row) { return row.kernel.events; })),
    field("events_total", "over all iterations",
          [](const RunKernelRow& row) {
            return row.kernel.events ? exactly(row.run, row.kernel.eventsTotal) : std::nullopt;
          }),
    inCsv(timeFields("duration_ns", "union of the kernel's own events",
                     [](const RunKernelRow& row) { return reported(row.run, row.kernel.time); })),
    field("per_forward_ns", "`duration_ns` over the forwards of an iteration; null if they are unknown",
          [](const RunKernelRow& row) -> std::optional<PredictedNs> {
            if (!row.kernel.time || !row.run.forwards) return std::nullopt;
            return PredictedNs{static_cast<double>(row.kernel.time->meanNs) / *row.run.forwards};
          }),
    inCsv(fields(shareFields([](const RunKernelRow& row) { return row.kernel.shares; }),
                 field("critical", "on the reported path", [](const RunKernelRow& row) { return row.kernel.critical; }),
                 field("slack_ns", "per iteration", [](const RunKernelRow& row) { return row.kernel.slackNs; }))));
inline constexpr auto kGroupFields =
    fields(field("name", "", [](const GroupRow& row) { return row.group.name; }),
           field("kernels", "", [](const GroupRow& row) { return row.group.kernels; }),
           field("events", "per iteration, rounded half to even", [](const GroupRow& row) { return row.group.events; }),
           field("events_total", "over all iterations",
                 [](const GroupRow& row) { return exactly(row.run, row.group.eventsTotal); }),
           timeFields("duration_ns", "union of the events of the group",
                      [](const GroupRow& row) { return reported(row.run, row.group.time); }),
           shareFields([](const GroupRow& row) { return std::optional(row.group.shares); }));

inline std::vector<std::string_view> unboundClasses() { return {"ambiguous", "runtime-only", "foreign", "unknown"}; }

/// The groups of a run by one of their kinds.
template <auto member>
constexpr auto groupRows = [](const RunReport& run) { return rowsOf<GroupRow>(run, run.*member); };

inline constexpr auto kUnboundFields = fields(
    field("name", "of the events", [](const UnboundEventRow& row) { return row.event.name; }),
    field("events", "per iteration, rounded half to even", [](const UnboundEventRow& row) { return row.event.events; }),
    field("events_total", "over all iterations",
          [](const UnboundEventRow& row) { return exactly(row.run, row.event.eventsTotal); }),
    field("duration_ns", "sum of durations, per iteration",
          [](const UnboundEventRow& row) { return row.event.meanNs; }),
    field("duration_ns_total", "over all iterations",
          [](const UnboundEventRow& row) { return exactly(row.run, row.event.totalNs); }),
    field("class", "state of the events",
          [](const UnboundEventRow& row) { return OneOf<unboundClasses>{row.event.category}; }),
    field("reason", "a clause", [](const UnboundEventRow& row) { return row.event.reason; }));

inline constexpr auto kProblemFields =
    fields(field<&DataProblem::name>("name", "stable name of the problem"),
           field<&DataProblem::count>("count", "how often"), field<&DataProblem::what>("what", "a sentence"));

}  // namespace amdahlc
