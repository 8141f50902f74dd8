#include "passes/fuse/choice_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace amdahlc {

namespace {

using ir::CandidateId;
using ir::Module;
using ir::OperatorGraph;

const ir::Rule& ruleOf(const Module& module, CandidateId candidate) {
  return module.rules.rules[module.candidates[candidate].rule];
}

constexpr ChoiceCriterion kCriteria[] = {
    {"the higher `priority` of the rule",
     [](const Module& module, const OperatorGraph&, CandidateId id) {
       return ir::precedence(module.rules, module.candidates[id].rule).priority;
     },
     [](const Module& module, CandidateId first, CandidateId second) {
       return fmt::format("has priority {} over {}", ruleOf(module, first).priority, ruleOf(module, second).priority);
     }},
    {"the larger number of owned operators, views and hidden operators not counted",
     [](const Module& module, const OperatorGraph&, CandidateId id) {
       return -static_cast<int64_t>(module.candidates[id].owned);
     },
     [](const Module& module, CandidateId first, CandidateId second) {
       return fmt::format("owns {} operators over {}", module.candidates[first].owned, module.candidates[second].owned);
     }},
    {"the rule that is declared earlier; imported files count in the order of the text",
     [](const Module& module, const OperatorGraph&, CandidateId id) {
       return ir::precedence(module.rules, module.candidates[id].rule).declaration;
     },
     [](const Module&, CandidateId, CandidateId) { return std::string("is declared earlier"); }},
    {"the lower topological index of the root, which is the operator that produces the first result",
     [](const Module& module, const OperatorGraph& graph, CandidateId id) {
       return static_cast<int64_t>(graph.position(module.candidates[id].root));
     },
     [](const Module& module, CandidateId first, CandidateId) {
       return fmt::format("has the earlier root `{}`", module.displayName(module.candidates[first].root));
     }},
    {"the earlier `match` of the rule",
     [](const Module& module, const OperatorGraph&, CandidateId id) {
       return static_cast<int64_t>(module.candidates[id].alternative);
     },
     [](const Module&, CandidateId, CandidateId) { return std::string("matches by an earlier alternative"); }},
    {"the larger number of operators, including views",
     [](const Module& module, const OperatorGraph&, CandidateId id) {
       return -static_cast<int64_t>(module.candidates[id].ops.size());
     },
     [](const Module& module, CandidateId first, CandidateId second) {
       return fmt::format("has {} operators over {}", module.candidates[first].ops.size(),
                          module.candidates[second].ops.size());
     }},
    {"the lower candidate number",
     [](const Module&, const OperatorGraph&, CandidateId id) { return static_cast<int64_t>(id.index()); },
     [](const Module&, CandidateId first, CandidateId second) {
       return fmt::format("is candidate {}, before {}", first.index(), second.index());
     }},
};

}  // namespace

std::span<const ChoiceCriterion> choiceCriteria() { return kCriteria; }

std::string describeChoiceOrder() {
  std::string text;
  for (size_t i = 0; i < choiceCriteria().size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, choiceCriteria()[i].description);
  return text;
}

std::string ChoiceOrder::reason(CandidateId first, CandidateId second) const {
  for (size_t i = 0; i < choiceCriteria().size(); ++i) {
    if (key(i, first) != key(i, second)) return choiceCriteria()[i].reason(module_, first, second);
  }
  return {};
}

std::vector<CandidateId> ChoiceOrder::candidates() const {
  IdVector<CandidateId, std::array<int64_t, std::size(kCriteria)>> keys(module_.candidates.size());
  for (const CandidateId id : keys.ids())
    for (size_t i = 0; i < keys[id].size(); ++i) keys[id][i] = key(i, id);
  const auto ids = keys.ids();
  std::vector<CandidateId> order(ids.begin(), ids.end());
  std::sort(order.begin(), order.end(), [&](CandidateId a, CandidateId b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace amdahlc
