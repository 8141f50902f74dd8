#include "passes/trace_bind/connections.h"

#include <algorithm>

namespace amdahlc::binding {

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
  std::erase_if(connected, [&](AlternativeId id) {
    const Alternative& alternative = run_.graph.alternatives()[id];
    return isGenerated(alternative.rule) &&
           (call.fitOf(alternative.rule).fit == Fit::None || !explains(id, call.operatorList));
  });
  return connected;
}

bool Connections::explains(AlternativeId group, const std::string& operatorList) {
  if (operatorList.empty()) return false;
  if (!generated_)
    generated_.emplace(run_.graph.module(), run_.graph.operators(), run_.graph.grouping(), run_.launches.runtime());
  const Alternative& alternative = run_.graph.alternatives()[group];
  return generated_->explains(alternative.rule, alternative.ops, operatorList);
}

}  // namespace amdahlc::binding
