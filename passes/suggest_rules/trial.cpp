#include "passes/suggest_rules/trial.h"

#include <utility>

#include "grammar/rule_loader.h"
#include "passes/fuse/enumeration.h"
#include "passes/trace_bind/bind_timeline.h"
#include "passes/trace_bind/generated_code.h"
#include "support/diagnostic.h"

namespace amdahlc::suggestions {

RuleTrial::RuleTrial(const ir::Module& module, const ir::OperatorGraph& operators, const Timeline& timeline)
    : operators_(operators), timeline_(timeline), rules_(module.rules), copy_(module.copyOfModel()) {}

std::optional<TrialResult> RuleTrial::run(const std::string& rules) {
  copy_.rules = rules_;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  auto loaded = grammar::loadRuleText("suggested.akp", rules, sources, diagnostics);
  if (!loaded) return std::nullopt;
  for (ir::Rule& rule : loaded->rules) copy_.rules.rules.push_back(std::move(rule));
  Enumeration found = enumerateCandidates(copy_, operators_, RuleIndex(copy_), MatchLimits{}, false);
  if (found.excess) return std::nullopt;
  copy_.candidates = std::move(found.candidates);
  const Timeline* const run = &timeline_;
  binding::addGeneratedCandidates(copy_, operators_, {&run, 1});
  auto grouping = groupingOn(copy_, operators_, timeline_.target);
  if (!grouping) return std::nullopt;
  TrialResult result;
  result.graph = std::make_unique<binding::AlternativeGraph>(copy_, operators_, std::move(*grouping));
  binding::BoundRun bound = binding::bindTimeline(*result.graph, timeline_);
  if (!bound.cover) return std::nullopt;
  result.cover = std::move(*bound.cover);
  result.order = bound.order;
  result.score = bound.score;
  for (const ir::Kernel& kernel : result.cover.kernels)
    for (const ir::BoundEvent& event : result.facts().kernels[kernel.id].events) {
      result.boundNs += timeline_.durationNs[event.event];
      if (kernel.candidate) result.ruledNs += timeline_.durationNs[event.event];
    }
  return result;
}

}  // namespace amdahlc::suggestions
