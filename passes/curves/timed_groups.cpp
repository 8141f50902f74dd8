#include "passes/curves/timed_groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"

namespace amdahlc {
namespace {

TimedGroup groupOf(const std::string& selector, const RunChanges& free) {
  TimedGroup group;
  group.selector = selector;
  for (const ir::KernelId kernel : free.device.kernels.ids())
    if (free.device.kernels[kernel].isZero()) group.kernels.push_back(kernel);
  std::ranges::transform(free.device.unbound, group.unbound.begin(), &Rational::isZero);
  group.hasHost = free.other.host.isZero();
  group.hasLaunches = free.other.launches.isZero();
  if (!free.other.operators.empty()) group.hostOperator = free.other.operators.begin()->first;
  return group;
}

/// The shortest selector that means the kernels of this label.
std::string selectorOfLabel(const std::string& label, const std::vector<PredictedRun>& runs) {
  const ir::Selector bare = ir::parseSelector(label);
  if (bare.kind == ir::SelectorKind::Any && withKind(bare, runs).kind == ir::SelectorKind::Rule) return label;
  return ir::describe(ir::SelectorKind::Rule, label);
}

}  // namespace

bool TimedGroup::isEmpty() const {
  return kernels.empty() && std::ranges::count(unbound, true) == 0 && !hasHost && !hasLaunches && hostOperator.empty();
}

bool TimedGroup::overlaps(const TimedGroup& other) const {
  const bool shareKernels = std::ranges::any_of(
      kernels, [&](ir::KernelId kernel) { return std::ranges::binary_search(other.kernels, kernel); });
  bool shareUnbound = false;
  for (size_t phase = 0; phase < kPhaseCount; ++phase) shareUnbound |= unbound[phase] && other.unbound[phase];
  // Inside of an operator its own factor counts, and that of the outer one where operators nest.
  const bool changesHost = hasHost || !hostOperator.empty();
  const bool otherChangesHost = other.hasHost || !other.hostOperator.empty();
  return shareKernels || shareUnbound || (changesHost && otherChangesHost) || (hasLaunches && other.hasLaunches);
}

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
    for (size_t run = 0; free.changes && run < runs.size(); ++run)
      groups[runs[run].cover].push_back(groupOf(selectors[i], (*free.changes)[run]));
  }
  if (!ok) return std::nullopt;
  return groups;
}

std::vector<TimedGroup> groupsByLabel(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                                      size_t mostLabels) {
  const ir::Cover& cover = module.cover(runs[run].cover);
  const auto& timed = *cover.facets.get<ir::TimedFacet>();
  std::vector<std::pair<int64_t, TimedGroup>> found;
  std::set<ir::KernelId> taken;
  for (const ir::Kernel& kernel : cover.kernels) {
    if (timed.kernels[kernel.id].reportedNs == 0 || taken.contains(kernel.id)) continue;
    const std::string label = ir::kernelLabel(module, kernel);
    TimedGroup group;
    int64_t totalNs = 0;
    for (const ir::KernelId one : runs[run].names.select({ir::SelectorKind::Rule, label})) {
      if (timed.kernels[one].reportedNs == 0) continue;
      group.kernels.push_back(one);
      taken.insert(one);
      totalNs += timed.kernels[one].reportedNs;
    }
    group.selector = selectorOfLabel(label, runs);
    found.emplace_back(totalNs, std::move(group));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  found.resize(std::min(found.size(), mostLabels));
  std::vector<TimedGroup> groups;
  for (auto& [totalNs, group] : found) groups.push_back(std::move(group));
  if (runs[run].model == nullptr) return groups;
  // The calls that launch are a part of the host: of equal effects, the part is named.
  groups.emplace_back();
  groups.back().selector = ir::name(ir::SelectorKind::Launches);
  groups.back().hasLaunches = true;
  groups.emplace_back();
  groups.back().selector = ir::name(ir::SelectorKind::Host);
  groups.back().hasHost = true;
  return groups;
}

}  // namespace amdahlc
