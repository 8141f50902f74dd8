#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "passes/advise/advice.h"
#include "passes/liveness/liveness_analysis.h"
#include "passes/roofline/roofline_analysis.h"
#include "passes/timing/phases_analysis.h"
#include "passes/timing/timing_analysis.h"
#include "passes/trace_bind/fit_text.h"
#include "replay/timeline/group_times.h"
#include "replay/timeline/totals.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Shares of a kernel or group that takes `timeNs` of the undisturbed busy time of the reported iterations, which is
/// `busyWithoutNs` without it.
Shares sharesOf(const ReportRun& run, int64_t timeNs, int64_t busyWithoutNs) {
  Shares shares;
  shares.ratio = run.busyShare(timeNs);
  if (run.undisturbedBusyNs > 0)
    shares.maxSpeedup = quotient(static_cast<double>(run.undisturbedBusyNs), static_cast<double>(busyWithoutNs));
  if (run.undisturbedWallNs.value_or(0) > 0)
    shares.maxSpeedupWall = quotient(
        static_cast<double>(*run.undisturbedWallNs),
        static_cast<double>(schedule::wallWithBusy(*run.undisturbedWallNs, run.undisturbedBusyNs, busyWithoutNs)));
  return shares;
}

/// Builds the report of one cover, part by part.
class RunBuilder {
 public:
  RunBuilder(const ir::Module& module, AnalysisManager& analyses, ir::CoverId id)
      : module_(module),
        cover_(module.cover(id)),
        bound_(cover_.facets.get<ir::BoundFacet>()),
        timed_(cover_.facets.get<ir::TimedFacet>()) {
    static_cast<ReportRun&>(run_) = reportRun(module, analyses, id);
    run_.label = cover_.name;
    if (run_.timeline != nullptr) reported_.emplace(*run_.timeline);
    run_.target = run_.timeline != nullptr ? run_.timeline->target : module.target;
  }

  RunReport build() {
    run_.nodes = ir::nodeReports(module_, cover_);
    if (timed_) addTotals();
    if (const auto forwards = forwardsPerIteration(run_); forwards > 0) run_.forwards = forwards;
    for (const ir::Kernel& kernel : cover_.kernels) run_.kernels.push_back(kernelRow(kernel));
    if (bound_) addTrips();
    if (timed_) addAggregates();
    if (bound_) addUnbound();
    addVerdict(run_);
    return std::move(run_);
  }

 private:
  /// A total per iteration, as in reports.
  int64_t perIteration(int64_t total) const { return run_.perIteration(total); }
  /// A time of a kernel or group.
  TimeStatistics ofRow(std::span<const int64_t> samplesNs) const {
    return timeStatistics(samplesNs, run_.timeline->average);
  }
  /// A time that is divided, or adds up with others.
  TimeStatistics ofRun(std::span<const int64_t> samplesNs) const {
    return timeOfIterations(samplesNs, timed_->run.representative);
  }
  std::vector<GroupTime> groupTimes(size_t groups,
                                    const std::function<std::span<const uint32_t>(EventIndex)>& groupsOf) const {
    return amdahlc::groupTimes(*run_.timeline, *reported_, groups, groupsOf,
                               run_.analyses->get<TimingAnalysis>(run_.id).undisturbed())
        .groups;
  }
  void addTotals();
  KernelRow kernelRow(const ir::Kernel& kernel) const;
  void addTrips();
  void addAggregates();
  /// A group of a table of kernels by name.
  struct KernelGroup {
    uint32_t number = 0;
    int64_t kernels = 0;
  };
  using KernelGroups = std::map<std::string_view, KernelGroup>;
  std::vector<AggregateRow> aggregate(const KernelGroups& groups, std::span<const GroupTime> times) const;
  void addScopes();
  AggregateRow aggregateRow(std::string name, const GroupTime& time) const;
  void addUnbound();

  const ir::Module& module_;
  const ir::Cover& cover_;
  // Null if not established.
  const ir::BoundFacet* bound_;
  const ir::TimedFacet* timed_;
  /// nullopt without a trace.
  std::optional<ReportedIterations> reported_;
  RunReport run_;
};

void RunBuilder::addTotals() {
  const ir::RunTimes& times = timed_->run;
  TraceTotals totals;
  totals.iterations = times.iterations * run_.timeline->meanOf;
  totals.deviceEvents = times.deviceEvents;
  totals.busy = ofRun(times.busyNs);
  if (times.wallNs) totals.wall = ofRun(*times.wallNs);
  if (times.windowNs) totals.window = ofRun(*times.windowNs);
  const std::vector<IterationTimes> selected = selectedIterationTimes(*run_.timeline);
  if (const auto idles = idlesOf(selected)) totals.idle = ofRun(*idles);
  if (const auto spillIns = spillInsOf(selected)) totals.spillIn = ofRun(*spillIns);
  totals.breakdown = breakdownStatistics(*run_.timeline);
  if (!run_.timeline->latenciesNs.empty()) totals.latency = ofRow(run_.timeline->latenciesNs);
  totals.device = ofRun(times.deviceNs);
  totals.bound = ofRun(times.boundNs);
  std::vector<int64_t> unboundNs;
  std::ranges::transform(times.deviceNs, times.boundNs, std::back_inserter(unboundNs), std::minus());
  totals.unbound = ofRun(unboundNs);
  // Rounded so that the times of all states sum to the rounded device time.
  totals.bound.reportedNs = run_.analyses->get<binding::DeviceTimesByState>(run_.id)
                                .perIterationNs[static_cast<size_t>(ir::EventState::Bound)];
  totals.unbound.reportedNs = totals.device.reportedNs - totals.bound.reportedNs;
  if (times.representative && !run_.onlyMeans()) {
    totals.undisturbedNs = times.undisturbedNs;
    if (times.iterations >= kFewestIterations && totals.busy.totalNs > 0)
      totals.disturbedRatio = 1 - static_cast<double>(times.undisturbedNs) * static_cast<double>(times.iterations) /
                                      static_cast<double>(totals.busy.totalNs);
  }
  run_.totals = totals;
}

KernelRow RunBuilder::kernelRow(const ir::Kernel& kernel) const {
  KernelRow row;
  row.id = kernel.id;
  row.label = ir::kernelLabel(module_, kernel);
  row.category = ir::kernelCategory(module_, kernel);
  row.scope = module_.scopePath(ir::kernelScope(module_, kernel));
  if (module_.isRecorded()) row.calledOperator = module_.text(module_.ops[kernel.anchor()].sourceTarget);
  if (const ir::Rule* rule = module_.ruleOf(kernel)) {
    row.rule = rule->name;
    row.doc = rule->doc;
  }
  for (ir::OpId op : kernel.ops) row.nodes.push_back(module_.displayName(op));
  row.state = ir::kernelState(module_, cover_, kernel.id);
  if (bound_) {
    const ir::KernelBinding& binding = bound_->kernels[kernel.id];
    if (binding.missReason) row.missReason = ir::describe(module_, kernel, *binding.missReason);
    row.tripCount = binding.tripCount;
    row.eventsTotal = static_cast<int64_t>(binding.events.size());
    row.events = perIteration(std::ranges::count_if(binding.events, [&](const ir::BoundEvent& bound) {
      return reported_->has(run_.timeline->iteration[bound.event]);
    }));
  } else if (run_.timeline) {
    row.events = 0;
  }
  if (timed_) {
    const ir::KernelTime& time = timed_->kernels[kernel.id];
    row.time = ofRow(time.perIterationNs);
    row.shares = sharesOf(run_, time.reportedNs, time.busyWithoutNs);
  }
  if (const auto* path = cover_.facets.get<ir::CriticalPathFacet>()) {
    row.critical = path->kernels[kernel.id].critical;
    row.slackNs = perIteration(path->kernels[kernel.id].slackNs);
  }
  return row;
}

void RunBuilder::addTrips() {
  const auto trips = ir::tripsOfLoops(module_, cover_);
  for (KernelRow& row : run_.kernels)
    if (const ir::OpId loop = ir::loopAround(module_, module_.ops[cover_.kernels[row.id].anchor()].graph);
        loop != ir::kNone)
      row.trips = trips[loop];
}

AggregateRow RunBuilder::aggregateRow(std::string name, const GroupTime& time) const {
  AggregateRow row;
  row.name = std::move(name);
  row.events = time.events;
  row.eventsTotal = time.eventsTotal;
  row.time = ofRow(time.perIterationNs);
  row.perIterationNs = time.perIterationNs;
  row.undisturbedNs = perIteration(time.scaledNs);
  row.shares = sharesOf(run_, time.scaledNs, time.busyWithoutNs);
  return row;
}

/// One row per distinct name with time, longest first. Kernels without device work count only if another kernel has
/// their name.
std::vector<AggregateRow> RunBuilder::aggregate(const KernelGroups& groups, std::span<const GroupTime> times) const {
  std::vector<AggregateRow> rows;
  for (const auto& [name, group] : groups) {
    if (times[group.number].eventsTotal == 0) continue;
    rows.push_back(aggregateRow(std::string(name), times[group.number]));
    rows.back().kernels = group.kernels;
  }
  std::ranges::stable_sort(rows, [](const AggregateRow& a, const AggregateRow& b) {
    return std::pair(a.time.reportedNs, a.time.totalNs) > std::pair(b.time.reportedNs, b.time.totalNs);
  });
  return rows;
}

/// A kernel is in one group of each table, so that one walk over the events tells the times of all.
void RunBuilder::addAggregates() {
  enum Table : size_t { Rules, Categories, Types, Calls, kTables };
  std::array<std::vector<std::string>, kTables> names;
  for (const ir::Kernel& kernel : cover_.kernels) {
    names[Rules].push_back(ir::kernelLabel(module_, kernel));
    names[Categories].push_back(ir::kernelCategory(module_, kernel));
    names[Types].emplace_back(module_.text(module_.ops[kernel.anchor()].type));
    names[Calls].emplace_back(module_.text(module_.ops[kernel.anchor()].sourceTarget));
  }
  std::array<KernelGroups, kTables> tables;
  uint32_t groups = 0;
  for (size_t table = 0; table < kTables; ++table) {
    for (const std::string_view name : names[table]) ++tables[table][name].kernels;
    for (auto& [name, group] : tables[table]) group.number = groups++;
  }
  IdVector<ir::KernelId, std::array<uint32_t, kTables>> groupsOf(cover_.kernels.size());
  for (const ir::KernelId kernel : groupsOf.ids())
    for (size_t table = 0; table < kTables; ++table)
      groupsOf[kernel][table] = tables[table][names[table][kernel.index()]].number;
  const std::vector<ir::KernelId> owners = ir::eventOwners(*run_.timeline, *bound_);
  const std::vector<GroupTime> times = groupTimes(groups, [&](EventIndex event) {
    return owners[event].isNone() ? std::span<const uint32_t>() : std::span<const uint32_t>(groupsOf[owners[event]]);
  });
  run_.byRule = aggregate(tables[Rules], times);
  run_.byCategory = aggregate(tables[Categories], times);
  run_.byOperatorType = aggregate(tables[Types], times);
  if (module_.isRecorded()) run_.byOperator = aggregate(tables[Calls], times);
  addScopes();
}

/// Groups 2i (own) and 2i+1 (inclusive) of the i-th scope.
void RunBuilder::addScopes() {
  std::map<ir::ScopeId, uint32_t> indexOf;
  auto note = [&](ir::ScopeId scope) {
    for (const ir::ScopeId one : module_.scopes.enclosing(scope)) indexOf.emplace(one, 0);
  };
  for (const ir::Kernel& kernel : cover_.kernels) note(ir::kernelScope(module_, kernel));
  for (const ir::UnboundEvent& unbound : bound_->unbound) note(unbound.scope);
  uint32_t next = 0;
  for (auto& [scope, index] : indexOf) index = next++;

  auto groupsOfScope = [&](ir::ScopeId scope) {
    std::vector<uint32_t> groups;
    if (scope != ir::kRootScope) groups.push_back(2 * indexOf[scope]);
    for (const ir::ScopeId one : module_.scopes.enclosing(scope)) groups.push_back(2 * indexOf[one] + 1);
    return groups;
  };
  IdVector<ir::KernelId, std::vector<uint32_t>> ofKernel;
  std::vector<int64_t> kernels(2 * indexOf.size(), 0);
  for (const ir::Kernel& kernel : cover_.kernels) {
    ofKernel.push_back(groupsOfScope(ir::kernelScope(module_, kernel)));
    for (uint32_t group : ofKernel.back()) ++kernels[group];
  }
  // An event without a node counts in the total of its module, not as one of the module's own kernels.
  std::map<EventIndex, std::vector<uint32_t>> ofUnbound;
  for (const ir::UnboundEvent& unbound : bound_->unbound) {
    std::vector<uint32_t> groups = groupsOfScope(unbound.scope);
    if (!groups.empty()) groups.erase(groups.begin());
    ofUnbound.emplace(unbound.event, std::move(groups));
  }
  const std::vector<ir::KernelId> owners = ir::eventOwners(*run_.timeline, *bound_);
  const auto times = groupTimes(2 * indexOf.size(), [&](EventIndex event) {
    if (!owners[event].isNone()) return std::span<const uint32_t>(ofKernel[owners[event]]);
    const auto found = ofUnbound.find(event);
    return found == ofUnbound.end() ? std::span<const uint32_t>() : found->second;
  });
  for (const auto& [scope, index] : indexOf) {
    const std::string path = module_.scopePath(scope);
    ScopeRow row{aggregateRow(path, times[2 * index]), aggregateRow(path, times[2 * index + 1])};
    row.own.kernels = kernels[2 * index];
    row.inclusive.kernels = kernels[2 * index + 1];
    if (row.inclusive.eventsTotal > 0) run_.byScope.push_back(std::move(row));
  }
  std::ranges::sort(run_.byScope, [](const ScopeRow& a, const ScopeRow& b) { return a.own.name < b.own.name; });
}

void RunBuilder::addUnbound() {
  struct Total {
    ir::EventState state = ir::EventState::Unknown;
    int64_t events = 0, eventsTotal = 0, ns = 0, totalNs = 0;
  };
  const PhasesAnalysis* facts = knownPhases(run_);
  const Phases* phases = facts != nullptr ? facts->known() : nullptr;
  // By the texts of a row, so that rows of one time are in the order of their texts.
  std::map<std::tuple<std::string, std::string_view, std::string, std::optional<Phase>>, Total> groups;
  for (const ir::UnboundEvent& unbound : bound_->unbound) {
    const ir::EventState state = ir::info(unbound.reason.kind).state;
    Total& total = groups[{std::string(run_.timeline->text(run_.timeline->name[unbound.event])), ir::name(state),
                           ir::describe(module_, cover_, unbound.reason),
                           phases != nullptr ? std::optional(phases->of(unbound.event)) : std::nullopt}];
    total.state = state;
    const int64_t ns = run_.timeline->durationNs[unbound.event];
    ++total.eventsTotal;
    total.totalNs += ns;
    if (!reported_->has(run_.timeline->iteration[unbound.event])) continue;
    ++total.events;
    total.ns += ns;
  }
  for (const auto& [key, total] : groups)
    run_.unbound.push_back({std::get<0>(key), std::get<2>(key), std::get<3>(key), total.state, total.events,
                            total.eventsTotal, perIteration(total.ns), total.totalNs});
  std::ranges::stable_sort(run_.unbound, std::ranges::greater(),
                           [](const UnboundRow& row) { return std::pair(row.ns, row.totalNs); });
}

/// Elements of all inputs; nullopt where one is not known.
template <typename TypeOf>
std::optional<double> elementsOf(const std::vector<ir::ValueId>& inputs, const TypeOf& typeOf) {
  double sum = 0;
  for (const ir::ValueId input : inputs) {
    const auto count = typeOf(input).elementCount();
    if (!count) return std::nullopt;
    sum += static_cast<double>(*count);
  }
  return sum;
}

/// Inputs that have other dimensions in the run than in the model; nullopt without.
std::optional<DataProblem> otherShapes(const ir::Module& module, const std::string& label, const RunShapes& shapes) {
  const std::vector<ir::ValueId> inputs = shapes.otherInputs();
  if (inputs.empty()) return std::nullopt;
  const auto inModel = [&](ir::ValueId input) -> const ir::Type& { return module.values[input].type; };
  const auto inRun = [&](ir::ValueId input) -> const ir::Type& { return shapes.type(input); };
  std::string text = fmt::format("{}: inputs have other dimensions in the run than in the model", label);
  const auto before = elementsOf(inputs, inModel), after = elementsOf(inputs, inRun);
  if (before && after && *before > 0) text += fmt::format(", {:.4g} times the elements", *after / *before);
  text +=
      fmt::format(", first `{}`: {}, not {}; bytes and operations are those of the run, by the operands of its calls",
                  printable(module.text(module.values[inputs.front()].name)),
                  printable(ir::describe(inRun(inputs.front()))), printable(ir::describe(inModel(inputs.front()))));
  return DataProblem{"run-has-other-shapes", static_cast<int64_t>(inputs.size()), std::move(text)};
}

}  // namespace

Report::Report(const ir::Module& of, AnalysisManager& analyses)
    : module(&of), problems(of.dataProblems.begin(), of.dataProblems.end()) {
  for (const Timeline& timeline : of.timelines)
    for (const DataProblem& problem : timeline.problems)
      problems.push_back({problem.name, problem.count, timeline.label + ": " + problem.what});
  for (const Timeline& timeline : of.timelines)
    if (of.coverOfRun(timeline.label) == nullptr)
      problems.push_back(
          {"run-not-bound", 1, timeline.label + ": the run is in no table, because `trace-bind` did not run on it"});
  for (const ir::CoverId id : reportedCovers(of)) {
    runs.push_back(RunBuilder(of, analyses, id).build());
    if (runs.back().facts<RooflineAnalysis>() == nullptr && runs.back().facts<LivenessAnalysis>() == nullptr) continue;
    if (auto problem = otherShapes(of, runs.back().cover->traceLabel, analyses.get<RunShapes>(id)))
      problems.push_back(*std::move(problem));
  }
}

}  // namespace amdahlc
