#include "passes/suggest_rules/suggested_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/suggest_rules/proposals.h"
#include "passes/suggest_rules/search.h"
#include "passes/trace_bind/fit_text.h"
#include "passes/trace_bind/named_nodes.h"
#include "support/absence.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc::suggestions {
namespace {

/// Kinds of calls without a rule that the output names.
constexpr size_t kNamedKinds = 10;

std::string quoted(const std::string& name) { return fmt::format("`{}`", printable(name)); }

/// `` `a` and `b` ``
std::string joined(const std::vector<std::string>& calls) {
  std::vector<std::string> names;
  for (const std::string& call : calls) names.push_back(quoted(call));
  return fmt::format("{}", fmt::join(names, " and "));
}

/// Why there are no suggestions; nullopt if there are some.
std::optional<Absence> absenceOfRules(const SuggestedRules& found, const ir::ModelFit& fit) {
  using enum Absence::Reason;
  if (!found.rules.empty()) return std::nullopt;
  if (fit.evidence.isStated()) return Absence{NodesNamed};
  if (fit.namesOnly) return Absence{BoundByNames};
  if (found.withheld > 0 || (!found.fitsAfter && !found.unexplained.empty())) return Absence{OtherModel};
  return Absence{found.unexplained.empty() ? AllExplained : NoBetterRule};
}

}  // namespace

SuggestedRules::SuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const Timeline& timeline = *module.findTimeline(module.cover(cover).traceLabel);
  const ir::BoundFacet& facts = *module.cover(cover).facets.get<ir::BoundFacet>();
  const ir::ModelFit& fit = *facts.fit;
  fitsBefore = fitsAfter = fit.fits;
  const auto times = binding::totalsByState(timeline, facts).ns;
  timeName = timeline.target.eventTimeName();
  deviceNs = std::accumulate(times.begin(), times.end(), int64_t{0});
  boundBefore = boundAfter = times[static_cast<size_t>(ir::EventState::Bound)];
  // Then rules are not what events are bound by, or nothing tells what they ran.
  if (fit.namesOnly || fit.evidence.isStated()) return;
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
    rule.text = accepted.text(fmt::format("What runs as {}.", joined(rule.calls)));
    rules.push_back(std::move(rule));
  }
  std::ranges::stable_sort(rules, {},
                           [](const SuggestedRule& rule) { return std::pair(-rule.ns, std::string_view(rule.name)); });
}

std::string describe(const SuggestedRules& suggestions, size_t index) {
  const SuggestedRule& rule = suggestions.rules[index];
  return fmt::format("{} us ({:.1f} % of {}): {} of {}, bound to {} by {}", formatUs(rule.ns),
                     percentOf(rule.ns, suggestions.deviceNs), suggestions.timeName, plural(rule.boundCalls, "call"),
                     joined(rule.calls), plural(rule.kernels, "kernel"), ir::describe(rule.evidence));
}

std::string printSuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const SuggestedRules& found = analyses.get<SuggestedRules>(cover);
  const ir::Cover& run = module.cover(cover);
  const Timeline& timeline = *module.findTimeline(run.traceLabel);
  std::string out =
      fmt::format("// Rules suggested for run {} of model {}.\n", quoted(run.traceLabel), quoted(module.modelName));
  out += fmt::format("// Of {} us of {} {:.2f} % is bound", formatUs(found.deviceNs), found.timeName,
                     percentOf(found.boundBefore, found.deviceNs));
  const ir::ModelFit& fit = *run.facets.get<ir::BoundFacet>()->fit;
  if (const auto absence = absenceOfRules(found, fit)) {
    const std::string reason = amdahlc::describe(*absence);
    out += fmt::format(".\n// There are no suggestions: {}{}\n", reason, reason.ends_with('?') ? "" : ".");
  } else {
    out += fmt::format(", with these rules {:.2f} %.\n", percentOf(found.boundAfter, found.deviceNs));
    if (found.movedNs > 0)
      out += fmt::format("// {} us that are bound without them are bound to kernels of other operators with them.\n",
                         formatUs(found.movedNs));
    if (found.triedBefore != found.boundBefore)
      out += fmt::format(
          "// They were tried with the options of passes at their defaults, which bind {:.2f} % without them.\n",
          percentOf(found.triedBefore, found.deviceNs));
    if (!found.fitsBefore)
      out += found.fitsAfter ? "// The trace fits the model only with them.\n"
                             : "// The trace does not fit the model, not even with them.\n";
    out +=
        "// Each was matched on the model and bound to the run, together with all others and the rules given. They "
        "follow one run\n// of one model: read them before you copy one into a file of your own.\n";
  }
  if (found.reachedLimit) out += fmt::format("// The search ended after {}.\n", plural(found.trials, "trial"));
  out += ruleFileHead(timeline.target);
  for (size_t i = 0; i < found.rules.size(); ++i)
    out += fmt::format("\n// {}. {}\n{}", i + 1, describe(found, i), found.rules[i].text);
  if (!found.unexplained.empty()) out += "\n// Calls that stay without a kernel:\n";
  for (size_t i = 0; i < std::min(found.unexplained.size(), kNamedKinds); ++i) {
    const CallKind& kind = found.unexplained[i];
    out += fmt::format("//   {} us: {} of {}{}\n", formatUs(kind.ns), plural(kind.calls, "call"), quoted(kind.name),
                       canBeWritten(kind.name) ? "" : ", a name that no rule can have");
  }
  if (found.unexplained.size() > kNamedKinds)
    out += fmt::format("//   and {}\n", plural(found.unexplained.size() - kNamedKinds, "more kind"));
  return out;
}

}  // namespace amdahlc::suggestions
