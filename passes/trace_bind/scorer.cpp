#include "passes/trace_bind/scorer.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace amdahlc::binding {

using evidence::Row;

Connections::Connections(const ObservedRun& run, const Program& program) : run_(run), program_(program) {
  for (UnitId unit = 0; unit < program.units().size(); ++unit) {
    const Unit& at = program.units()[unit];
    sources_.push_back(at.source.empty() ? std::string() : run.launches.runtime().comparableName(at.source));
    if (!at.source.empty()) bySource_[sources_.back()].push_back(unit);
    if (at.movesData) movingData_.push_back(unit);
  }
  const auto& alternatives = run.graph.alternatives();
  for (AlternativeId id = 0; id < alternatives.size(); ++id)
    for (const std::string& type : alternatives[id].typeNames) byType_[type].push_back(id);
  if (!run.stated.any()) return;
  holding_.resize(run.graph.module().ops.size());
  for (AlternativeId id = 0; id < alternatives.size(); ++id)
    for (const ir::OpId op : alternatives[id].ops) holding_[op].push_back(id);
}

bool Connections::isExported(const CallFeatures& call) const {
  return std::ranges::any_of(call.names, [&](const std::string& name) { return bySource_.contains(name); });
}

/// Of a kernel that was generated, only the groups of operators that explain its name.
std::set<AlternativeId> Connections::of(const CallFeatures& call) {
  std::set<AlternativeId> connected;
  const auto connect = [&](const std::vector<AlternativeId>& alternatives) {
    connected.insert(alternatives.begin(), alternatives.end());
  };
  const auto connectUnits = [&](const std::vector<UnitId>& units) {
    for (const UnitId unit : units) connect(program_.units()[unit].alternatives);
  };
  for (const auto& [rule, found] : call.fits)
    if (found.fit != Fit::None) connect(run_.graph.ofRule(rule));
  if (call.node != ir::kNone) connect(holding_[call.node]);
  for (const std::string& name : call.names) {
    if (const auto found = bySource_.find(name); found != bySource_.end()) connectUnits(found->second);
    if (const auto found = byType_.find(name); found != byType_.end()) connect(found->second);
  }
  if (call.movesData) connectUnits(movingData_);
  // By group, how many listed operators are elsewhere; by operator, the groups that hold it.
  std::map<AlternativeId, size_t> elsewhere;
  std::map<ir::OpId, std::vector<AlternativeId>> groupsOf;
  std::erase_if(connected, [&](AlternativeId id) {
    const Alternative& alternative = run_.graph.alternatives()[id];
    if (!isGenerated(alternative.rule)) return false;
    const auto count = call.fitOf(alternative.rule).fit == Fit::None || call.operatorList.empty()
                           ? std::nullopt
                           : generated().namesElsewhere(alternative.rule, alternative.ops, call.operatorList);
    if (!count) return true;
    elsewhere.emplace(id, *count);
    for (const ir::OpId op : alternative.ops) groupsOf[op].push_back(id);
    return false;
  });
  // A group that was made for another list is a part of one that has more of the listed operators itself.
  for (const auto& [id, count] : elsewhere) {
    const Alternative& part = run_.graph.alternatives()[id];
    if (std::ranges::any_of(groupsOf[part.ops.front()], [&, count = count](AlternativeId whole) {
          const Alternative& other = run_.graph.alternatives()[whole];
          return other.rule == part.rule && elsewhere[whole] < count && std::ranges::includes(other.ops, part.ops);
        }))
      connected.erase(id);
  }
  return connected;
}

GeneratedCode& Connections::generated() {
  if (!generated_)
    generated_.emplace(run_.graph.module(), run_.graph.operators(), run_.graph.grouping(), run_.launches.runtime());
  return *generated_;
}

std::vector<ir::OpId> Connections::copiedFor(const CallFeatures& call) {
  if (call.operatorList.empty()) return {};
  for (const auto& [rule, found] : call.fits)
    if (found.fit != Fit::None && isGenerated(rule)) return generated().leftToLibrary(rule, call.operatorList);
  return {};
}

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
    if (!call.spill && !call.readsScalar && !call.convertsLayout && call.moved.empty()) score(call, scored_[kind]);
    scored_[kind].weight = weigh(call, scored_[kind].options);
  }
}

Score Scorer::weigh(const CallFeatures& call, std::span<const Option> options) const {
  Score most = 0;
  for (const Option& option : options) most = std::max(most, program_.units()[option.unit].weight);
  if (!options.empty()) return most;
  // An operator that the graph does not have tells as much as an operator with weights.
  return call.onlyInTraining || call.createsConstant || call.convertsLayout || !call.moved.empty() ||
                 kinds_.isRemoved(call.node)
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
    const auto found = judge(
        {graph.module(), kinds_, call, fit, alternative, program_.units()[unit], connections_.source(unit), place});
    if (!found) continue;
    known |= (found->rows & kNaming) != 0;
    const Option option{.unit = unit,
                        .alternative = id,
                        .from = place.step.from,
                        .to = place.step.to,
                        .score = found->score + place.step.cost + preference(alternative, place),
                        .evidence = found->score,
                        .calls = fit.calls,
                        .kinds = found->kinds,
                        .rows = found->rows};
    const auto [entry, isNew] = best.try_emplace({option.from, option.to, option.calls}, option);
    if (!isNew && option.score > entry->second.score) entry->second = option;
  }
  scored.options.clear();
  for (const auto& [key, option] : best) scored.options.push_back(option);
  scored.copiedFor = best.empty() ? connections_.copiedFor(call) : std::vector<ir::OpId>();
  scored.unbound = known && !call.movesData ? Row::UnboundKnown : Row::UnboundUnknown;
}

}  // namespace amdahlc::binding
