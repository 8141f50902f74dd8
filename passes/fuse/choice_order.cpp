#include "passes/fuse/choice_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace amdahlc {

namespace {

using ir::CandidateId;

constexpr ChoiceCriterion kCriteria[] = {
    {"the higher `priority` of the rule",
     [](const RankedCandidate& it) { return ir::precedence(it.module.rules, it.candidate().rule).priority; },
     [](const RankedCandidate& first, const RankedCandidate& second) {
       return fmt::format("has priority {} over {}", first.rule().priority, second.rule().priority);
     }},
    {"the larger number of owned operators, views and hidden operators not counted",
     [](const RankedCandidate& it) { return -static_cast<int64_t>(it.candidate().owned); },
     [](const RankedCandidate& first, const RankedCandidate& second) {
       return fmt::format("owns {} operators over {}", first.candidate().owned, second.candidate().owned);
     }},
    {"the rule that is declared earlier; imported files count in the order of the text",
     [](const RankedCandidate& it) { return ir::precedence(it.module.rules, it.candidate().rule).declaration; },
     [](const RankedCandidate&, const RankedCandidate&) { return std::string("is declared earlier"); }},
    {"the lower topological index of the root, which is the operator that produces the first result",
     [](const RankedCandidate& it) { return static_cast<int64_t>(it.graph.position(it.candidate().root)); },
     [](const RankedCandidate& first, const RankedCandidate&) {
       return fmt::format("has the earlier root `{}`", first.module.displayName(first.candidate().root));
     }},
    {"the earlier `match` of the rule",
     [](const RankedCandidate& it) { return static_cast<int64_t>(it.candidate().alternative); },
     [](const RankedCandidate&, const RankedCandidate&) { return std::string("matches by an earlier alternative"); }},
    {"the larger number of operators, including views",
     [](const RankedCandidate& it) { return -static_cast<int64_t>(it.candidate().ops.size()); },
     [](const RankedCandidate& first, const RankedCandidate& second) {
       return fmt::format("has {} operators over {}", first.candidate().ops.size(), second.candidate().ops.size());
     }},
    {"the lower candidate number", [](const RankedCandidate& it) { return static_cast<int64_t>(it.id.index()); },
     [](const RankedCandidate& first, const RankedCandidate& second) {
       return fmt::format("is candidate {}, before {}", first.id.index(), second.id.index());
     }},
};

}  // namespace

std::span<const ChoiceCriterion> choiceCriteria() { return kCriteria; }

std::string ChoiceOrder::reason(CandidateId first, CandidateId second) const {
  for (size_t i = 0; i < choiceCriteria().size(); ++i) {
    if (key(i, first) != key(i, second))
      return choiceCriteria()[i].reason({module_, graph_, first}, {module_, graph_, second});
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
