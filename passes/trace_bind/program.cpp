#include "passes/trace_bind/program.h"

#include <algorithm>
#include <map>

#include "replay/runtimes/operator_name.h"
#include "support/sort_unique.h"

namespace amdahlc::binding {

using evidence::Row;
using ir::OpId;

namespace {

/// What scores a unit that no call ran, by the highest need of its operators. A body need not run.
Row skipRow(const Unit& unit, Need most, bool isInBody, Program::Run run) {
  if (most <= Need::Unlikely) return Row::SkipView;
  if (run.hasGeneratedCode && !unit.multiplies) return Row::SkipGenerated;
  const bool isExpected = most == Need::Heavy || (most == Need::Ruled && !unit.source.empty());
  return run.statesNodes || (isExpected && !isInBody) ? Row::SkipExpected : Row::SkipRuled;
}

}  // namespace

Program::Program(const AlternativeGraph& graph, const IdVector<OpId, uint32_t>& rank, Run run)
    : graph_(graph), module_(graph.module()), rank_(rank), run_(run) {
  unitOf_.assign(module_.ops.size(), kNoUnit);
  if (!module_.graphs.empty()) addGraph(ir::kMainGraph);
  std::ranges::sort(edges_, [](const Edge& a, const Edge& b) { return a.to < b.to; });
  nestLoops();
  const auto& alternatives = graph.alternatives();
  places_.resize(alternatives.size());
  IdVector<OpId, AlternativeId> byDefault(module_.ops.size(), kNoAlternative);
  for (AlternativeId id = 0; id < alternatives.size(); ++id)
    if (alternatives[id].inDefault)
      for (const OpId op : alternatives[id].ops) byDefault[op] = id;
  for (const Alternative& alternative : alternatives)
    if (const UnitId unit = unitOf_[alternative.anchor]; unit != kNoUnit)
      units_[unit].multiplies |= alternative.multiplies;
  addSkips();
  for (AlternativeId id = 0; id < alternatives.size(); ++id) {
    const Alternative& own = alternatives[id];
    const UnitId anchor = unitOf_[own.anchor];
    if (anchor == kNoUnit) continue;
    Unit& unit = units_[anchor];
    unit.alternatives.push_back(id);
    Place& place = places_[id];
    place.step = stepOf(id);
    if (const AlternativeId larger = byDefault[own.anchor]; larger != kNoAlternative) {
      const auto& around = alternatives[larger].ops;
      place.isPart = around.size() > own.ops.size() && std::ranges::includes(around, own.ops);
    }
    const auto launches = [&](OpId op) { return graph.need(op) > Need::Unlikely; };
    place.spansUnits = std::ranges::any_of(own.ops, [&](OpId op) { return unitOf_[op] != anchor && launches(op); });
    place.worksAlone = std::ranges::all_of(
        unit.ops, [&](OpId op) { return !launches(op) || std::ranges::binary_search(own.ops, op); });
  }
}

/// Outer loops first: inner ones overwrite what is theirs.
void Program::nestLoops() {
  loopAt_.assign(end(), kNoLoop);
  for (size_t loop = loops_.size(); loop-- > 0;) {
    Loop& at = loops_[loop];
    if (at.begin < end()) at.around = loopAt_[at.begin];
    std::fill(loopAt_.begin() + at.begin, loopAt_.begin() + at.end, loop);
  }
}

Program::Edge Program::stepOf(AlternativeId id) const {
  const Alternative& alternative = graph_.alternatives()[id];
  const uint32_t anchor = positionOf_[unitOf_[alternative.anchor]];
  std::vector<uint32_t> held;  // positions of its units
  Edge step{anchor, anchor + 1, 0};
  bool oneGraph = true;
  for (const OpId op : alternative.ops) {
    if (unitOf_[op] == kNoUnit) continue;
    const uint32_t position = positionOf_[unitOf_[op]];
    held.push_back(position);
    oneGraph &= module_.ops[op].graph == module_.ops[alternative.anchor].graph;
    if (graph_.need(op) <= Need::Unlikely) continue;
    step.from = std::min(step.from, position);
    step.to = std::max(step.to, position + 1);
  }
  sortUnique(held);
  Score back = 0;
  bool interleaved = !oneGraph;
  for (uint32_t position = step.from; position < step.to; ++position) {
    if (std::ranges::binary_search(held, position)) continue;
    interleaved |= unitAt_[position] == kNoUnit || units_[unitAt_[position]].mustRun;
    if (walk_[position] != kImpossible) step.cost += walk_[position];
  }
  for (const uint32_t position : held)
    if (position < step.from || position >= step.to || (interleaved && position != anchor)) back -= walk_[position];
  if (interleaved) return {anchor, anchor + 1, back};
  step.cost += back;
  return step;
}

void Program::addUnit(UnitId unit) {
  positionOf_[unit] = static_cast<uint32_t>(unitAt_.size());
  unitAt_.push_back(unit);
  walk_.push_back(0);
}

void Program::describe(Unit& unit) {
  const ir::Op& first = module_.ops[unit.ops.front()];
  unit.scope = first.scope;
  unit.source = originOperator(module_.text(first.sourceTarget));
  unit.movesData = true;
  for (const OpId op : unit.ops) unit.movesData &= graph_.onlyMovesData(op);
}

void Program::addSkips() {
  for (UnitId id = 0; id < units_.size(); ++id) {
    Unit& unit = units_[id];
    Need most = Need::None;
    for (const OpId op : unit.ops) most = std::max(most, graph_.need(op));
    // A runtime that states nodes may have folded others.
    unit.mustRun = most >= (run_.statesNodes ? Need::Heavy : Need::Ruled);
    // An exporter may write arithmetic that the framework does not run; it invents no convolution.
    unit.weight = most == Need::Heavy ? kHeavyWeight : kLightWeight;
    unit.skip = skipRow(unit, most, module_.ops[unit.ops.front()].graph != ir::kMainGraph, run_);
    walk_[positionOf_[id]] = evidence::value(unit.skip);
  }
}

void Program::addGraph(ir::GraphId graphId) {
  std::vector<OpId> ops = module_.graphs[graphId].order;
  std::ranges::sort(ops, [&](OpId a, OpId b) { return rank_[a] < rank_[b]; });
  // The unit of each exported call stands where its first operator stands. A runtime that states nodes runs the nodes
  // of the graph, and no calls of the framework that it was exported from.
  std::map<uint32_t, UnitId> ofCall;
  for (const OpId op : ops) {
    const ir::Op& at = module_.ops[op];
    UnitId unit = static_cast<UnitId>(units_.size());
    if (!run_.statesNodes && at.regions.empty() && !at.sourceCall.empty())
      unit = ofCall.try_emplace(at.sourceCall.index, unit).first->second;
    if (unit == units_.size()) units_.emplace_back();
    units_[unit].ops.push_back(op);
    unitOf_[op] = unit;
  }
  positionOf_.resize(units_.size(), 0);
  std::vector<bool> placed(units_.size(), false);
  for (const OpId op : ops) {
    const UnitId unit = unitOf_[op];
    const ir::Op& at = module_.ops[op];
    if (placed[unit]) continue;
    placed[unit] = true;
    if (!at.regions.empty()) {
      const bool exclusive = module_.text(at.type) == "If";
      const uint32_t begin = end();
      std::vector<uint32_t> ends;
      for (size_t i = 0; i < at.regions.size(); ++i) {
        const uint32_t bodyBegin = end();
        if (exclusive && i > 0) edges_.push_back({begin, bodyBegin, 0});
        addGraph(at.regions[i].graph);
        if (!exclusive) loops_.push_back({bodyBegin, end(), op, value(Row::NextTrip)});
        if (exclusive && i + 1 < at.regions.size()) {
          ends.push_back(end());
          unitAt_.push_back(kNoUnit);
          walk_.push_back(kImpossible);
        }
      }
      for (const uint32_t bodyEnd : ends) edges_.push_back({bodyEnd, end(), 0});
    }
    std::ranges::sort(units_[unit].ops);
    describe(units_[unit]);
    addUnit(unit);
  }
}

}  // namespace amdahlc::binding
