/// The content of a report, computed once from the module. The writers only format it. docs/report.md describes the
/// fields.
///
/// Times are per iteration: medians over the selected iterations, or times of the representative one, where these add
/// up; with `Average::Mean` both are means, rounded half to even. The exact totals are stored as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/facets/states.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "replay/runtimes/phase.h"
#include "replay/timeline/breakdown.h"
#include "report/comparison/measured_run.h"
#include "report/section.h"
#include "support/statistics.h"

namespace amdahlc {

/// Share of undisturbed busy time, and the limits of a speed-up by its removal. An infinite limit is absent.
struct Shares {
  double ratio = 0;
  std::optional<double> maxSpeedup, maxSpeedupWall;

  friend bool operator==(const Shares&, const Shares&) = default;
};

struct KernelRow {
  ir::KernelId id;
  std::string label;
  std::optional<std::string> rule;
  std::string category, scope, doc;
  /// The operator of the framework that was called, of a program; empty for a model.
  std::string calledOperator;
  /// Anchor first.
  std::vector<std::string> nodes;
  ir::KernelState state = ir::KernelState::Unbound;
  std::string missReason;
  std::optional<int64_t> tripCount;
  /// Of the innermost loop around the kernel, if it is known.
  std::optional<int64_t> trips;
  /// In the reported iteration, or the mean, rounded half to even; none without a trace.
  std::optional<int64_t> events;
  int64_t eventsTotal = 0;
  std::optional<TimeStatistics> time;
  std::optional<Shares> shares;
  std::optional<bool> critical;
  std::optional<int64_t> slackNs;

  /// Whether events of the run are bound to it: it has a time, which may be 0.
  bool isMeasured() const { return state == ir::KernelState::Bound && time.has_value(); }

  friend bool operator==(const KernelRow&, const KernelRow&) = default;
};

/// Kernels that share a rule, category, scope or operator type. `time` counts overlap once.
struct AggregateRow {
  std::string name;
  int64_t kernels = 0;
  /// As of a kernel, but in all reported iterations together.
  int64_t events = 0;
  int64_t eventsTotal = 0;
  TimeStatistics time;
  /// What of undisturbed busy time it takes: `time` is the median of the group, and this has the medians of its
  /// kernels.
  int64_t undisturbedNs = 0;
  /// Of which `time` is made: by selected iteration.
  std::vector<int64_t> perIterationNs;
  Shares shares;

  friend bool operator==(const AggregateRow&, const AggregateRow&) = default;
};

struct ScopeRow {
  /// Kernels of exactly this scope.
  AggregateRow own;
  /// This scope and all scopes inside, with events that have no node but were launched in the module.
  AggregateRow inclusive;

  friend bool operator==(const ScopeRow&, const ScopeRow&) = default;
};

struct UnboundRow {
  std::string name, reason;
  /// nullopt where it is not known.
  std::optional<Phase> phase;
  ir::EventState state = ir::EventState::Unknown;
  /// In the reported iterations, and in all selected ones.
  int64_t events = 0, eventsTotal = 0;
  int64_t ns = 0, totalNs = 0;

  friend bool operator==(const UnboundRow&, const UnboundRow&) = default;
};

struct TraceTotals {
  /// Iterations: the executions, also where all that is known of them is their mean.
  int64_t deviceEvents = 0, iterations = 0;
  TimeStatistics busy;
  /// nullopt if the events have no starts.
  std::optional<TimeStatistics> wall;
  std::optional<TimeStatistics> window;
  /// Of whole executions, measured apart from the events.
  std::optional<TimeStatistics> latency;
  /// Part of the device time: of events whose launch is not in the trace. nullopt if it is not known.
  std::optional<TimeStatistics> spillIn;
  /// wall - busy.
  std::optional<TimeStatistics> idle;
  /// nullopt if the communication is not known.
  std::optional<BreakdownStatistics> breakdown;
  /// Busy time if each kernel takes its median, and the part of the mean busy time that is beyond it;
  /// nullopt where means are reported, and, of the part, with too few iterations to tell.
  std::optional<int64_t> undisturbedNs;
  std::optional<double> disturbedRatio;
  TimeStatistics device, bound, unbound;

  friend bool operator==(const TraceTotals&, const TraceTotals&) = default;
};

/// What takes the time of a run, and how far its numbers can be trusted.
struct Verdict {
  TrustLevel trust = TrustLevel::Full;
  /// What takes the time, as sentences; printable, without a line break. Empty if there is no trust: they would be of
  /// another model.
  std::string text;
  /// What the trust follows from, as a phrase; printable; may be empty.
  std::string reason;
  /// What the user can do about the trust, as a sentence without a period; printable; may be empty.
  std::string advice;
  /// The sentences and the reason, what is more urgent first.
  std::string whole() const;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// One cover with its trace, or the default cover without one: the input of the sections of passes, and what all
/// sections share.
struct RunReport : ReportRun {
  std::string label;
  Target target;
  std::optional<TraceTotals> totals;
  /// Of the model, per iteration; nullopt if they are unknown or none.
  std::optional<double> forwards;
  /// The model and the run, printable: `bert.onnx: h100`.
  std::string title() const;
  /// nullopt without times.
  std::optional<Verdict> verdict;
  /// A sentence that restricts all numbers of the run; empty for none.
  std::string caveat;
  /// The caveat, if the verdict does not say it already; printable; may be empty.
  std::string caveatBesideVerdict() const;
  /// Times are means of several executions: of totals and spread nothing is known.
  bool onlyMeans() const { return timeline != nullptr && timeline->meanOf > 1; }
  /// Whether operators ran on the processor that also launched them.
  bool computesOnHost() const { return target.isHost(); }
  /// Whether outputs say what undisturbed busy time is. Of one iteration it is busy time.
  bool showsUndisturbed() const { return totals && totals->undisturbedNs && totals->iterations > 1; }
  /// A time of each selected iteration, by recording; empty if there is none, or times are means of several executions.
  comparison::Samples samples(const std::vector<int64_t>& perIterationNs) const {
    if (onlyMeans() || perIterationNs.empty()) return {};
    comparison::Samples samples(timeline->recordingCount());
    auto ns = perIterationNs.begin();
    for (const Iteration& iteration : timeline->iterations)
      if (iteration.selected()) samples[iteration.recording].push_back(*ns++);
    return samples;
  }
  IdVector<ir::OpId, ir::NodeReport> nodes;
  IdVector<ir::KernelId, KernelRow> kernels;
  /// Longest first, then by name.
  std::vector<AggregateRow> byRule, byCategory, byOperatorType;
  /// By the operator of the framework that was called; empty for a model.
  std::vector<AggregateRow> byOperator;
  /// By name.
  std::vector<ScopeRow> byScope;
  /// Longest first.
  std::vector<UnboundRow> unbound;

  friend bool operator==(const RunReport&, const RunReport&) = default;
};

/// The report as an analysis, so that several outputs share one. Sections of passes read the other analyses.
struct Report {
  static constexpr const char* kName = "report";
  Report(const ir::Module& of, AnalysisManager& analyses);

  const ir::Module* module;
  /// Empty before `fuse`.
  std::vector<RunReport> runs;
  /// Problems of the module and of the traces.
  std::vector<DataProblem> problems;

  friend bool operator==(const Report&, const Report&) = default;
};

/// In JSON: `full`, `limited`, `none`.
std::string_view name(TrustLevel level);

/// Sets the verdict and the caveat. Precondition: all else of the run is set.
void addVerdict(RunReport& run);

}  // namespace amdahlc
