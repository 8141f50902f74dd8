/// Fields of the rows of a run that JSON, CSV and the summary show.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/facets/timed.h"
#include "report/fields.h"
#include "report/report.h"
#include "support/data_problems.h"

namespace amdahlc {

namespace keys = comparison::keys;

struct RunKernelRow : ItemOf<KernelRow, RunReport> {
  // NOLINTBEGIN(google-explicit-constructor): it is the row of sections, too, and a row of CSV has fields of the run.
  operator ReportKernel() const { return {run, item.id}; }
  operator const RunReport&() const { return run; }
  // NOLINTEND(google-explicit-constructor)
};
struct GroupRow : ItemOf<AggregateRow, RunReport> {
  GroupRow(const RunReport& run, const AggregateRow& group, const AggregateRow* own = nullptr)
      : ItemOf{run, group}, own(own) {}
  /// Of a scope: its own kernels alone.
  const AggregateRow* own = nullptr;
};
/// Null where times are means of several executions.
inline std::optional<comparison::Samples> samplesOf(const RunReport& run, const std::vector<int64_t>& perIterationNs) {
  comparison::Samples samples = run.samples(perIterationNs);
  return samples.empty() ? std::nullopt : std::optional(std::move(samples));
}
inline constexpr std::string_view kOfSamples = "for each recording, a time for each selected iteration";

using UnboundEventRow = ItemOf<UnboundRow, RunReport>;

/// Its spread is unknown where all times are means of several executions.
inline std::optional<ReportedTime> reported(const RunReport& run, const std::optional<TimeStatistics>& time) {
  if (!time) return std::nullopt;
  return ReportedTime{*time, run.onlyMeans()};
}

/// A number over all executions, if known.
inline std::optional<int64_t> kExactly(const RunReport& run, const std::optional<int64_t>& total) {
  return run.onlyMeans() ? std::nullopt : total;
}

// Comparisons, which know no IR, read this state.
static_assert(ir::name(ir::KernelState::NoDeviceWork) == keys::kNoDeviceWork);
static_assert(ir::name(ir::KernelState::Unbound) == keys::kMissed);
static_assert(ir::name(ir::KernelState::Ambiguous) == keys::kAmbiguousKernel);
using KernelStateName = OneOf<namesFrom<ir::KernelState::Unbound, ir::KernelState::Ambiguous>>;
using NodeStateName = OneOf<namesFrom<ir::NodeState::Bound, ir::NodeState::Missed>>;
using UnboundStateName = OneOf<namesFrom<ir::EventState::Ambiguous, ir::EventState::Unknown>>;

/// The state of a kernel or a node. Before binding, only states from `simplify` and the rules are known. A state that
/// needs the trace is null.
template <typename Name, typename State>
inline std::optional<Name> stateOf(const RunReport& run, State state) {
  if (run.timeline == nullptr && !ir::isKnownWithoutTrace(state)) return std::nullopt;
  return Name{ir::name(state)};
}

template <typename Function, auto member>
constexpr auto kPartOfShares = [](auto& row) -> std::optional<double> {
  const std::optional<Shares> shares = Function{}(row);
  if (!shares) return std::nullopt;
  return (*shares).*member;
};
/// `ratio` and the two limits. `sharesOf` returns an optional `Shares`.
template <typename Function, typename Row = RowOf<Function>>
consteval auto shareFields(Function /*sharesOf*/) {
  return fields<Row>(field("ratio", "of undisturbed busy time", kPartOfShares<Function, &Shares::ratio>),
                     field("max_speedup", "of undisturbed busy time if this cost nothing; null: infinite",
                           kPartOfShares<Function, &Shares::maxSpeedup>),
                     field("max_speedup_wall", "of wall time, with idle time kept; null: infinite, or wall is unknown",
                           kPartOfShares<Function, &Shares::maxSpeedupWall>));
}

inline constexpr auto kFirstKernelFields = fields<RunKernelRow>(
    inCsv(fields<RunKernelRow>(
        field<&KernelRow::id>("id", "rank in the order of the kernel graph"),
        field<&KernelRow::label>(keys::kLabel, "of the rule, else the operators"),
        field<&KernelRow::rule>("rule", "null: an operator that no rule covers"),
        field<&KernelRow::category>("category", "of the rule; without one, of the family of the kernel, or `other`"),
        field<&KernelRow::nodes>(keys::kNodes, "names, anchor first"),
        field<&KernelRow::scope>(keys::kScope, "module scope of the anchor; may be empty"))),
    field("operator", "the operator that was called, as the trace names it; null for a model",
          [](auto& row) { return nonEmpty(row.item.calledOperator); }),
    field(keys::kState, "null if it needs a trace and there is none",
          [](auto& row) { return stateOf<KernelStateName>(row.run, row.item.state); }),
    field("reason", "why it was missed", [](auto& row) { return nonEmpty(row.item.missReason); }),
    field<&KernelRow::tripCount>("trip_count", "of a loop, if known from events"),
    inCsv(field<&KernelRow::events>("events", "in the representative iteration, or the mean, rounded half to even")),
    field("events_total", "over all iterations",
          [](auto& row) { return row.item.events ? kExactly(row.run, row.item.eventsTotal) : std::nullopt; }),
    inCsv(timeFields(keys::kDuration, "union of the kernel's own events",
                     [](const RunKernelRow& row) { return reported(row.run, row.item.time); })),
    numbersField(keys::kSamples, kOfSamples,
                 [](const RunKernelRow& row) -> std::optional<comparison::Samples> {
                   const auto* timed = row.run.cover->facets.get<ir::TimedFacet>();
                   return timed ? samplesOf(row.run, timed->kernels[row.item.id].perIterationNs) : std::nullopt;
                 }),
    field("per_forward_ns", "`duration_ns` over the forwards of an iteration; null if they are unknown",
          [](auto& row) -> std::optional<PredictedNs> {
            if (!row.item.time || !row.run.forwards) return std::nullopt;
            return PredictedNs{static_cast<double>(row.item.time->reportedNs) / *row.run.forwards};
          }),
    inCsv(fields<RunKernelRow>(shareFields([](const RunKernelRow& row) { return row.item.shares; }),
                               field<&KernelRow::critical>("critical", "on the reported path"),
                               field<&KernelRow::slackNs>("slack_ns", "per iteration"))));
inline constexpr auto kGroupFields = fields<GroupRow>(
    field<&AggregateRow::name>(keys::kName, ""), field<&AggregateRow::kernels>("kernels", ""),
    field("events", "as of kernels", [](auto& row) { return row.run.perIteration(row.item.events); }),
    field("events_total", "over all iterations", [](auto& row) { return kExactly(row.run, row.item.eventsTotal); }),
    timeFields(keys::kDuration, "union of the events of the group",
               [](const GroupRow& row) { return reported(row.run, row.item.time); }),
    field<&AggregateRow::undisturbedNs>("undisturbed_ns",
                                        "what of undisturbed busy time it takes: `ratio` is of it, and `max_speedup`"),
    numbersField(keys::kSamples, kOfSamples,
                 [](const GroupRow& row) { return samplesOf(row.run, row.item.perIterationNs); }),
    shareFields([](const GroupRow& row) { return std::optional(row.item.shares); }));

/// The groups of a run by one of their kinds.
template <auto member>
constexpr auto kGroupRows = [](const RunReport& run) { return rowsOf<GroupRow>(run, run.*member); };

inline constexpr auto kUnboundFields = fields<UnboundEventRow>(
    field<&UnboundRow::name>("name", "of the events"),
    field("events", "as of kernels", [](auto& row) { return row.run.perIteration(row.item.events); }),
    field("events_total", "over all iterations", [](auto& row) { return kExactly(row.run, row.item.eventsTotal); }),
    field<&UnboundRow::ns>("duration_ns", "sum of durations in the representative iteration, or the mean"),
    field("duration_ns_total", "over all iterations", [](auto& row) { return kExactly(row.run, row.item.totalNs); }),
    field("class", "state of the events", [](auto& row) { return UnboundStateName{ir::name(row.item.state)}; }),
    field<&UnboundRow::reason>("reason", "a clause"),
    field("phase", "of the events; null where it is not known",
          [](auto& row) { return row.item.phase ? std::optional(PhaseName{name(*row.item.phase)}) : std::nullopt; }));

inline constexpr auto kProblemFields = fields<DataProblem>(
    field<&DataProblem::name>("name", "stable name of the problem"), field<&DataProblem::count>("count", "how often"),
    field<&DataProblem::what>("what", "a sentence"));

}  // namespace amdahlc
