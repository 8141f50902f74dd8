#include "passes/curves/timed_groups.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"

namespace amdahlc {
namespace {

/// The change that takes all time from what the text selects; nullopt if it is no selector.
std::optional<ir::Change> changeOf(const SelectorText& selector, DiagnosticEngine& diagnostics) {
  ir::Selector parsed = ir::parseSelector(selector.text);
  const auto fail = [&](const std::string& message) {
    diagnostics.error(DiagId::SpeedupSyntax, selector.place, message);
    return std::nullopt;
  };
  if (parsed.kind == ir::SelectorKind::Regex) {
    const RE2 pattern(parsed.text, RE2::Quiet);
    if (!pattern.ok()) return fail(fmt::format("invalid regular expression: {}", pattern.error()));
  } else if (parsed.text.empty() && ir::subjectOf(parsed.kind) != ir::SelectorSubject::Whole) {
    return fail("the selector is empty; name a kernel, node, rule, category, operator type or scope");
  }
  ir::Change change;
  change.selectors.push_back(std::move(parsed));
  change.factor = Rational::of(0);
  change.range = selector.place;
  return change;
}

TimedGroup groupOf(const std::string& selector, const RunChanges& free) {
  TimedGroup group;
  group.selector = selector;
  for (const ir::KernelId kernel : free.device.kernels.ids())
    if (free.device.kernels[kernel].isZero()) group.kernels.push_back(kernel);
  group.hasUnbound = free.device.unbound.isZero();
  group.hasHost = free.other.host.isZero();
  group.hasLaunches = free.other.launches.isZero();
  if (!free.other.operators.empty()) group.hostOperator = free.other.operators.begin()->first;
  return group;
}

std::vector<const KernelNames*> namesOf(const std::vector<PredictedRun>& runs) {
  std::vector<const KernelNames*> names;
  for (const PredictedRun& run : runs) names.push_back(&run.names);
  return names;
}

/// The shortest selector that means the kernels of this label.
std::string selectorOfLabel(const std::string& label, const std::vector<const KernelNames*>& names) {
  const ir::Selector bare = ir::parseSelector(label);
  if (bare.kind == ir::SelectorKind::Any && withKind(bare, names).kind == ir::SelectorKind::Rule) return label;
  return ir::describe(ir::SelectorKind::Rule, label);
}

}  // namespace

bool TimedGroup::isEmpty() const {
  return kernels.empty() && !hasUnbound && !hasHost && !hasLaunches && hostOperator.empty();
}

bool TimedGroup::overlaps(const TimedGroup& other) const {
  std::vector<ir::KernelId> both;
  std::set_intersection(kernels.begin(), kernels.end(), other.kernels.begin(), other.kernels.end(),
                        std::back_inserter(both));
  // Inside of an operator its own factor counts, and that of the outer one where operators nest.
  const bool changesHost = hasHost || !hostOperator.empty();
  const bool otherChangesHost = other.hasHost || !other.hostOperator.empty();
  return !both.empty() || (hasUnbound && other.hasUnbound) || (changesHost && otherChangesHost) ||
         (hasLaunches && other.hasLaunches);
}

std::vector<SelectorText> selectorTexts(const std::vector<std::string>& texts, const PassOption& option) {
  std::vector<SelectorText> selectors;
  for (size_t i = 0; i < texts.size(); ++i) selectors.push_back({texts[i], option.places[i]});
  return selectors;
}

std::optional<NamedGroups> groupsOf(const ir::Module& module, const std::vector<SelectorText>& selectors,
                                    PassContext& context) {
  NamedGroups groups;
  if (selectors.empty()) return groups;
  const std::vector<PredictedRun> runs = predictedRuns(module, context.analyses);
  bool ok = true;
  for (const SelectorText& selector : selectors) {
    const auto change = changeOf(selector, context.diagnostics);
    const auto factors = change ? resolveScenario(module, {selector.text, {*change}}, runs, context) : std::nullopt;
    ok &= factors.has_value();
    if (!factors) continue;
    for (size_t i = 0; i < runs.size(); ++i) groups[runs[i].cover].push_back(groupOf(selector.text, (*factors)[i]));
  }
  if (!ok) return std::nullopt;
  return groups;
}

std::vector<TimedGroup> groupsByLabel(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                                      size_t mostLabels) {
  const ir::Cover& cover = module.cover(runs[run].cover);
  const auto& timed = *cover.facets.get<ir::TimedFacet>();
  const std::vector<const KernelNames*> names = namesOf(runs);
  std::vector<std::pair<int64_t, TimedGroup>> found;
  std::set<ir::KernelId> taken;
  for (const ir::Kernel& kernel : cover.kernels) {
    if (timed.kernels[kernel.id].totalNs == 0 || taken.contains(kernel.id)) continue;
    const std::string label = ir::kernelLabel(module, kernel);
    TimedGroup group;
    int64_t totalNs = 0;
    for (const ir::KernelId one : runs[run].names.select({ir::SelectorKind::Rule, label})) {
      if (timed.kernels[one].totalNs == 0) continue;
      group.kernels.push_back(one);
      taken.insert(one);
      totalNs += timed.kernels[one].totalNs;
    }
    group.selector = selectorOfLabel(label, names);
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
