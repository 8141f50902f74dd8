#include "passes/suggest_rules/suggested_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "passes/suggest_rules/search.h"
#include "passes/trace_bind/fit_text.h"
#include "passes/trace_bind/named_nodes.h"
#include "support/printable.h"

namespace amdahlc::suggestions {

SuggestedRules::SuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const Timeline& timeline = *module.findTimeline(module.cover(cover).traceLabel);
  const ir::BoundFacet& facts = *module.cover(cover).facets.get<ir::BoundFacet>();
  const ir::ModelFit& fit = *facts.fit;
  fitsBefore = fitsAfter = fit.fits;
  const auto times = binding::totalsByState(timeline, facts).ns;
  deviceNs = std::accumulate(times.begin(), times.end(), int64_t{0});
  boundBefore = boundAfter = times[static_cast<size_t>(ir::EventState::Bound)];
  // Then rules are not what events are bound by, or nothing tells what they ran.
  if (fit.namesOnly || fit.evidence.nodes) return;
  RuleSearch search(module, analyses.get<ir::OperatorGraph>(), timeline, *this);
  if (!search.run()) return;
  const TrialResult& result = search.result();
  fitsAfter = result.facts().fit->fits;
  // A runtime that states the nodes that it runs may leave out many: then their names tell enough.
  if (!fitsAfter && !binding::StatedNodes(module, timeline).any()) {
    withheld = static_cast<int64_t>(search.accepted().size());
    return;
  }
  boundAfter = result.boundNs;
  const std::vector<ir::KernelId> before = ir::eventOwners(timeline, facts);
  const std::vector<ir::KernelId> after = ir::eventOwners(timeline, result.facts());
  for (EventIndex event = 0; event < before.size(); ++event)
    if (!before[event].isNone() && !after[event].isNone() &&
        module.cover(cover).kernels[before[event]].ops != result.cover.kernels[after[event]].ops)
      movedNs += timeline.durationNs[event];
  const Observation& observed = search.observation();
  unexplained = observed.kinds;
  for (const ProposedRule& accepted : search.accepted()) {
    SuggestedRule rule;
    rule.name = accepted.name;
    for (const auto& [call, isOperator] : accepted.calls) rule.calls.push_back(call);
    for (const ir::Kernel& kernel : result.cover.kernels) {
      const auto& events = result.facts().kernels[kernel.id].events;
      if (search.trial().ruleOf(kernel) != accepted.name || events.empty()) continue;
      ++rule.kernels;
      for (const ir::BoundEvent& bound : events) {
        rule.ns += timeline.durationNs[bound.event];
        rule.evidence |= bound.evidence;
      }
    }
    if (const auto bound = observed.bound.find(rule.name); bound != observed.bound.end())
      rule.boundCalls = bound->second;
    std::vector<std::string> names;
    for (const std::string& call : rule.calls) names.push_back(fmt::format("`{}`", printable(call)));
    rule.text = accepted.text(fmt::format("What runs as {}.", fmt::join(names, " and ")));
    rules.push_back(std::move(rule));
  }
  std::stable_sort(rules.begin(), rules.end(), [](const SuggestedRule& a, const SuggestedRule& b) {
    return std::tuple(-a.ns, a.name) < std::tuple(-b.ns, b.name);
  });
}

}  // namespace amdahlc::suggestions
