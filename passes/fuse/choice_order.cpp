#include "passes/fuse/choice_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

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

// `candidates` sorts by the first two with bins. The third keeps the candidates of one rule together.
constexpr size_t kPriority = 0, kOwned = 1, kDeclaration = 2;

}  // namespace

std::span<const ChoiceCriterion> choiceCriteria() { return kCriteria; }

std::string describeChoiceOrder() {
  std::string text;
  for (size_t i = 0; i < choiceCriteria().size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, choiceCriteria()[i].description);
  return text;
}

bool ChoiceOrder::precedes(CandidateId a, CandidateId b) const {
  for (size_t i = 0; i < choiceCriteria().size(); ++i) {
    if (const int64_t left = key(i, a), right = key(i, b); left != right) return left < right;
  }
  return false;
}

std::string ChoiceOrder::reason(CandidateId first, CandidateId second) const {
  for (size_t i = 0; i < choiceCriteria().size(); ++i) {
    if (key(i, first) != key(i, second)) return choiceCriteria()[i].reason(module_, first, second);
  }
  return {};
}

std::vector<CandidateId> ChoiceOrder::candidates() const {
  // Candidates are already sorted by rule and root. They are put into bins by the criteria that come before the rule.
  const auto bin = [&](CandidateId id) { return std::pair{key(kPriority, id), key(kOwned, id)}; };
  std::map<std::pair<int64_t, int64_t>, uint32_t> bins;
  for (const CandidateId id : module_.candidates.ids()) ++bins[bin(id)];
  uint32_t next = 0;
  for (auto& [key, count] : bins) next += std::exchange(count, next);
  std::vector<CandidateId> order(module_.candidates.size());
  for (const CandidateId id : module_.candidates.ids()) order[bins[bin(id)]++] = id;

  const auto before = [&](CandidateId a, CandidateId b) { return precedes(a, b); };
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if_not(first, order.end(), [&](CandidateId id) {
      return bin(id) == bin(*first) && key(kDeclaration, id) == key(kDeclaration, *first);
    });
    if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
    first = last;
  }
  return order;
}

}  // namespace amdahlc
