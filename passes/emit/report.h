/// What a report says, computed once from the module; the writers only lay it out. Field meanings: docs/report.md.
///
/// Times are per iteration: totals over the selected iterations divided once (means, half to even), the exact totals beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/manager/report_section.h"

namespace amdahlc {

/// A measured time over the selected iterations.
struct ReportTime {
  int64_t meanNs = 0;
  int64_t totalNs = 0;
  int64_t medianNs = 0;
  double deviationNs = 0;
};

/// Share of busy time and what removing it would buy. A limit that is infinite is absent.
struct Shares {
  double ratio = 0;
  std::optional<double> maxSpeedup, maxSpeedupWall;
};

struct KernelRow {
  ir::KernelId id;
  std::string label;
  std::optional<std::string> rule;
  std::string category, scope, doc;
  std::vector<std::string> nodes;  ///< anchor first
  ir::KernelState state = ir::KernelState::Unbound;
  std::string missReason;
  std::optional<int64_t> tripCount;
  std::optional<int64_t> events;  ///< per iteration, rounded half to even; none without a trace
  int64_t eventsTotal = 0;
  std::optional<ReportTime> time;
  std::optional<Shares> shares;
  std::optional<bool> critical;
  std::optional<int64_t> slackNs;
};

/// Kernels that share a rule, category, scope or operator type. `time` counts overlap once.
struct AggregateRow {
  std::string name;
  int64_t kernels = 0;
  int64_t events = 0;  ///< per iteration, rounded half to even
  int64_t eventsTotal = 0;
  ReportTime time;
  Shares shares;
};

struct ScopeRow {
  AggregateRow own;  ///< kernels of exactly this scope
  AggregateRow
      inclusive;  ///< this scope and all inside it, with events that no node explains but whose launch lay in the module
};

struct UnboundRow {
  std::string name, category, reason;
  int64_t events = 0;  ///< per iteration, rounded half to even
  int64_t eventsTotal = 0;
  int64_t meanNs = 0, totalNs = 0;
};

struct TraceTotals {
  int64_t deviceEvents = 0, iterations = 0;
  ReportTime busy, wall;
  std::optional<ReportTime> window;
  int64_t idleNs = 0, deviceNs = 0, boundNs = 0, unboundNs = 0;  ///< per iteration
  int64_t deviceTotalNs = 0, boundTotalNs = 0, unboundTotalNs = 0;
};

/// One cover with its trace, or the default cover without one.
struct RunReport {
  const ir::Cover* cover = nullptr;
  const Timeline* timeline = nullptr;
  /// What sections of passes are given.
  ReportRun measured;
  std::string label;
  Target target;
  std::optional<TraceTotals> totals;
  IdVector<ir::OpId, ir::NodeReport> nodes;
  IdVector<ir::KernelId, KernelRow> kernels;
  std::vector<AggregateRow> byRule, byCategory, byOperatorType;  ///< longest first, then by name
  std::vector<ScopeRow> byScope;                                 ///< by name
  std::vector<UnboundRow> unbound;                               ///< longest first
};

struct Report {
  const ir::Module* module = nullptr;
  std::vector<RunReport> runs;            ///< empty before `fuse`
  std::vector<ir::DataProblem> problems;  ///< the module's and the traces'
};

Report buildReport(const ir::Module& module);

}  // namespace amdahlc
