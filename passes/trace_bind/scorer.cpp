#include "passes/trace_bind/scorer.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace amdahlc::binding {

using evidence::Row;

Scorer::Scorer(const CallKinds& kinds, OrderKind order, const IdVector<ir::OpId, uint32_t>& rank)
    : kinds_(kinds),
      order_(order),
      program_(kinds.run().graph, rank, {order == OrderKind::Trace, kinds.run().launches.hasGeneratedCode()}),
      connections_(kinds.run(), program_),
      scored_(kinds.size()),
      isLeftOut_(kinds.run().graph.alternatives().size(), false) {
  scoreKinds();
}

void Scorer::restrictTo(const ChosenCover& cover) {
  for (AlternativeId id = 0; id < isLeftOut_.size(); ++id) isLeftOut_[id] = !cover.holds(id);
  scoreKinds();
}

void Scorer::scoreKinds() {
  for (uint32_t kind = 0; kind < scored_.size(); ++kind) {
    const CallFeatures& call = kinds_[kind];
    if (!call.spill && !call.readsScalar && !call.convertsLayout) score(call, scored_[kind]);
    scored_[kind].weight = weigh(call, scored_[kind].options);
  }
}

Score Scorer::weigh(const CallFeatures& call, std::span<const Option> options) const {
  Score most = 0;
  for (const Option& option : options) most = std::max(most, program_.units()[option.unit].weight);
  if (!options.empty()) return most;
  // An operator that the graph does not have tells as much as an operator with weights.
  return call.onlyInTraining || call.createsConstant || call.convertsLayout || kinds_.isRemoved(call.node)
             ? 0
             : kHeavyWeight;
}

/// Between alternatives that agree equally, the one with all of the unit's work, the larger one, the default one.
static Score preference(const Alternative& alternative, const Program::Place& place) {
  return (place.worksAlone ? 20 : 0) + std::min<Score>(9, static_cast<Score>(alternative.ops.size())) +
         (alternative.inDefault ? 5 : 0);
}

/// The rows that say that the graph has the operator of the call.
constexpr evidence::Rows kNaming = evidence::bit(Row::SameNode) | evidence::bit(Row::SameOperator) |
                                   evidence::bit(Row::Synonym) | evidence::bit(Row::InnerOperator) |
                                   evidence::bit(Row::RuleTop) | evidence::bit(Row::RuleInner);

void Scorer::score(const CallFeatures& call, Scored& scored) {
  const AlternativeGraph& graph = kinds_.run().graph;
  bool known = connections_.isExported(call);
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Option> best;
  for (const AlternativeId id : connections_.of(call)) {
    const Alternative& alternative = graph.alternatives()[id];
    const UnitId unit = program_.unitOf(alternative.anchor);
    if (isLeftOut_[id] || unit == kNoUnit) continue;
    const RuleFit fit = alternative.rule == kNoRule ? RuleFit() : call.fitOf(alternative.rule);
    const Program::Place& place = program_.place(id);
    const auto judged = judge(
        {graph.module(), kinds_, call, fit, alternative, program_.units()[unit], connections_.source(unit), place});
    if (!judged) continue;
    const Judgement& found = *judged;
    known |= (found.rows & kNaming) != 0;
    const Option option{.unit = unit,
                        .alternative = id,
                        .from = place.step.from,
                        .to = place.step.to,
                        .score = found.score + place.step.cost + preference(alternative, place),
                        .evidence = found.score,
                        .calls = fit.calls,
                        .kinds = found.kinds,
                        .rows = found.rows};
    const auto [entry, isNew] = best.try_emplace({option.from, option.to, option.calls}, option);
    if (!isNew && option.score > entry->second.score) entry->second = option;
  }
  scored.options.clear();
  for (const auto& [key, option] : best) scored.options.push_back(option);
  scored.unbound = known && !call.movesData ? Row::UnboundKnown : Row::UnboundUnknown;
}

}  // namespace amdahlc::binding
