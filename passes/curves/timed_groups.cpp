#include "passes/curves/timed_groups.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "passes/timing/timing_analysis.h"

namespace amdahlc {
namespace {

/// `factors` are those of kernels in the events of the run.
TimedGroup groupOf(const std::string& selector, const RunChanges& free,
                   const IdVector<ir::KernelId, Rational>& factors) {
  TimedGroup group;
  group.selector = selector;
  for (const ir::KernelId kernel : factors.ids())
    if (factors[kernel].isZero()) group.kernels.push_back(kernel);
  std::ranges::transform(free.device.unbound, group.unbound.begin(), &Rational::isZero);
  if (const auto one = std::ranges::find_if(free.device.forwards, &Rational::isZero); one != free.device.forwards.end())
    group.forward = static_cast<uint32_t>(one - free.device.forwards.begin());
  group.hasHost = free.other.host.isZero();
  group.hasLaunches = free.other.launches.isZero();
  if (!free.other.named.empty()) group.hostOperator = free.other.named.begin()->first;
  return group;
}

/// The shortest selector that means the kernels of this label.
std::string selectorOfLabel(const std::string& label, const std::vector<PredictedRun>& runs) {
  const ir::Selector bare = ir::parseSelector(label);
  if (bare.kind == ir::SelectorKind::Any && withKind(bare, runs).kind == ir::SelectorKind::Rule) return label;
  return ir::describe(ir::SelectorKind::Rule, label);
}

}  // namespace

std::optional<NamedGroups> groupsOf(const ir::Module& module, const std::vector<std::string>& selectors,
                                    const PassOption& option, PassContext& context) {
  NamedGroups groups;
  if (selectors.empty()) return groups;
  const std::vector<PredictedRun> runs = predictedRuns(module, context.analyses);
  bool ok = true;
  for (size_t i = 0; i < selectors.size(); ++i) {
    // The change takes all time from what the text selects.
    ir::Change change;
    change.factor = Rational::of(0);
    change.range = option.places[i];
    change.selectors.push_back(ir::parseSelector(selectors[i], change.range));
    const ir::Scenario scenario{selectors[i], {change}};
    if (!ir::checkScenario(scenario, DiagId::SpeedupSyntax, context.diagnostics)) {
      ok = false;
      continue;
    }
    const ResolvedScenario free = resolveScenario(module, scenario, runs, wantedMessages(context));
    tell(free.messages, context);
    ok &= free.changes.has_value();
    for (size_t run = 0; free.changes && run < runs.size(); ++run) {
      const RunChanges& changes = (*free.changes)[run];
      const EventKeys& events = context.analyses.get<RunPredictor>(runs[run].cover).events();
      const Timeline& timeline = *module.findTimeline(module.cover(runs[run].cover).traceLabel);
      groups[runs[run].cover].push_back(
          groupOf(selectors[i], changes, kernelFactors(timeline, events, changes.device)));
    }
  }
  if (!ok) return std::nullopt;
  return groups;
}

std::vector<TimedGroup> groupsByLabel(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                                      size_t mostLabels) {
  const ir::Cover& cover = module.cover(runs[run].cover);
  const auto& timed = *cover.facets.get<ir::TimedFacet>();
  std::vector<TimedGroup> found;
  // Of each, with the kernels that usually take no time.
  std::vector<std::vector<ir::KernelId>> all;
  std::set<ir::KernelId> taken;
  for (const ir::Kernel& kernel : cover.kernels) {
    if (timed.kernels[kernel.id].reportedNs == 0 || taken.contains(kernel.id)) continue;
    const std::string label = ir::kernelLabel(module, kernel);
    TimedGroup& group = found.emplace_back();
    for (const ir::KernelId one : all.emplace_back(runs[run].names.select({ir::SelectorKind::Rule, label}))) {
      if (timed.kernels[one].reportedNs == 0) continue;
      group.kernels.push_back(one);
      taken.insert(one);
    }
    group.selector = selectorOfLabel(label, runs);
  }
  const std::vector<int64_t> timesNs = timesOfGroups(*module.findTimeline(cover.traceLabel), cover, all);
  for (size_t group = 0; group < found.size(); ++group) found[group].timeNs = timesNs[group];
  std::ranges::stable_sort(found, std::ranges::greater(), &TimedGroup::timeNs);
  found.resize(std::min(found.size(), mostLabels));
  if (runs[run].model == nullptr) return found;
  // The calls that launch are a part of the host: of equal effects, the part is named.
  found.emplace_back();
  found.back().selector = ir::name(ir::SelectorKind::Launches);
  found.back().hasLaunches = true;
  found.emplace_back();
  found.back().selector = ir::name(ir::SelectorKind::Host);
  found.back().hasHost = true;
  return found;
}

}  // namespace amdahlc
