// Before: calls in launch order, and the graph in an       After: an order of the graph in which they have units.
// order in which some of them have no unit.
//
//   calls:  conv 8x4x1x1, conv 4x4x3x3, conv 8x4x3x3, ..   shortcut, first, second, ..
//   graph:  first, second, shortcut, ..
//
// A compiler may run independent operators in another order than the exporter wrote them. So the graph is run along the
// calls: each call takes the unit that fits it best, of those whose operands are there. What fits no call, such as the
// operators that a compiler generated code for, runs as soon as it can. If no unit is ready that fits a call, the first
// one that fits takes it, and what it waits for counts as skipped. An alignment decides whether the order is better.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "passes/trace_bind/search.h"

namespace amdahlc::binding {

using ir::OpId;

namespace {

/// The forward with the most bound calls: its segment's alignment, and its number there.
std::pair<uint32_t, uint32_t> fullestForward(const std::vector<Alignment>& alignments) {
  std::pair<uint32_t, uint32_t> fullest;
  size_t most = 0;
  for (uint32_t i = 0; i < alignments.size(); ++i) {
    std::map<uint32_t, size_t> bound;
    for (const CallBinding& call : alignments[i].calls) bound[call.forward] += call.option.has_value();
    for (const auto& [forward, count] : bound) {
      if (count <= most) continue;
      most = count;
      fullest = {i, forward};
    }
  }
  return fullest;
}

/// Runs a graph: an operator is ready when all that it waits for is done.
class GraphRun {
 public:
  /// `waits` tells which operators run only when they are told to.
  GraphRun(const AlternativeGraph& graph, IdVector<OpId, bool> waits)
      : graph_(graph),
        waits_(std::move(waits)),
        done_(waits_.size(), false),
        seen_(waits_.size(), false),
        missing_(waits_.size(), 0) {
    std::vector<OpId> ready;
    for (const OpId op : waits_.ids()) {
      missing_[op] = graph.waitsFor(op).size();
      if (missing_[op] == 0 && !waits_[op]) ready.push_back(op);
    }
    run(std::move(ready));
  }
  bool isDone(OpId op) const { return done_[op]; }
  /// Whether all that the operators, ascending, wait for is done or among them, and none of them is done.
  bool areReady(const std::vector<OpId>& ops) const {
    return std::ranges::all_of(ops, [&](OpId op) {
      const auto waitsFor = graph_.waitsFor(op);
      return !done_[op] && std::ranges::all_of(waitsFor, [&](OpId waited) {
        return done_[waited] || std::ranges::binary_search(ops, waited);
      });
    });
  }
  /// Runs the operators and all that they wait for.
  void runWithOperands(const std::vector<OpId>& ops) {
    std::vector<OpId> all = ops;
    for (size_t i = 0; i < all.size(); ++i) {
      for (const OpId waited : graph_.waitsFor(all[i])) {
        if (done_[waited] || seen_[waited]) continue;
        seen_[waited] = true;
        all.push_back(waited);
      }
    }
    run(std::move(all));
  }

 private:
  void run(std::vector<OpId> ready) {
    while (!ready.empty()) {
      const OpId op = ready.back();
      ready.pop_back();
      if (done_[op]) continue;
      done_[op] = true;
      for (const OpId user : graph_.waiting(op))
        if (--missing_[user] == 0 && !waits_[user]) ready.push_back(user);
    }
  }

  const AlternativeGraph& graph_;
  IdVector<OpId, bool> waits_, done_, seen_;
  IdVector<OpId, size_t> missing_;
};

/// By unit of a group, the indices of the others that neither wait for it nor it for them.
std::vector<std::vector<size_t>> independentUnits(const AlternativeGraph& graph, const Program& program,
                                                  const std::vector<UnitId>& group) {
  const auto& rank = graph.orders().rank(OrderKind::Operands);
  std::vector<OpId> order(rank.ids().begin(), rank.ids().end());
  std::ranges::sort(order, [&](OpId a, OpId b) { return rank[a] < rank[b]; });
  // By operator: the units of the group that it waits for, and its own.
  IdVector<OpId, std::vector<bool>> waitsFor(rank.size());
  std::map<UnitId, size_t> member;
  for (const UnitId unit : group) member.emplace(unit, member.size());
  std::vector<std::vector<bool>> related(group.size(), std::vector<bool>(group.size(), false));
  for (const OpId op : order) {
    std::vector<bool>& units = waitsFor[op];
    units.assign(group.size(), false);
    for (const OpId waited : graph.waitsFor(op))
      for (size_t i = 0; i < units.size(); ++i)
        if (i < waitsFor[waited].size() && waitsFor[waited][i]) units[i] = true;
    const auto own = member.find(program.unitOf(op));
    if (own == member.end()) continue;
    for (size_t i = 0; i < units.size(); ++i)
      if (units[i]) related[own->second][i] = related[i][own->second] = true;
    units[own->second] = true;
  }
  std::vector<std::vector<size_t>> independent(group.size());
  for (size_t i = 0; i < group.size(); ++i)
    for (size_t k = 0; k < group.size(); ++k)
      if (k != i && !related[i][k]) independent[i].push_back(k);
  return independent;
}

}  // namespace

void shareAmongEquals(const Search& search, Posteriors& probabilities) {
  struct Group {
    std::vector<UnitId> units;
    std::vector<AlternativeId> alternatives;
    std::vector<std::vector<size_t>> independent;
  };
  std::map<std::pair<uint32_t, Score>, Group> groups;
  search.eachDistinctCall([&](const Search::Place& at) {
    const auto& option = search.binding(at).option;
    if (!option) return;
    const auto [entry, isNew] = groups.try_emplace({search.kind(at), option->evidence});
    Group& group = entry->second;
    if (isNew) {
      for (const Option& other : search.options(at)) {
        if (other.evidence < option->evidence || std::ranges::find(group.units, other.unit) != group.units.end())
          continue;
        group.units.push_back(other.unit);
        group.alternatives.push_back(other.alternative);
      }
      group.independent = independentUnits(search.graph, search.program, group.units);
    }
    const auto own = static_cast<size_t>(std::ranges::find(group.units, option->unit) - group.units.begin());
    if (own == group.units.size() || group.independent[own].empty()) return;
    Posterior& posterior = probabilities[at.alignment][at.index];
    posterior.chosen /= static_cast<double>(group.independent[own].size() + 1);
    if (posterior.other >= posterior.chosen) return;
    posterior.other = posterior.chosen;
    posterior.otherAlternative = group.alternatives[group.independent[own].front()];
  });
}

std::optional<IdVector<OpId, uint32_t>> orderOfCalls(const Search& search) {
  if (search.alignments.empty()) return std::nullopt;
  const AlternativeGraph& graph = search.graph;
  const auto [alignment, forward] = fullestForward(search.alignments);
  const std::vector<CallBinding>& calls = search.alignments[alignment].calls;
  // Where shapes do not tell which unit a call runs, only the order of the program does.
  const auto strongOptions = [&, alignment = alignment, forward = forward](uint32_t call) {
    std::vector<const Option*> strong;
    const Search::Place at{search.segment(alignment), alignment, call};
    if (calls[call].forward != forward || at.isOutside() || search.features(at).movesData) return strong;
    for (const Option& option : search.options(at))
      if (option.calls == 1 && search.advantage(at, option) > kLeastAdvantage &&
          (option.kinds & static_cast<ir::EvidenceSet>(ir::Evidence::Shape)))
        strong.push_back(&option);
    return strong;
  };
  IdVector<OpId, bool> waits(graph.module().ops.size(), false);
  bool anyBetter = false;
  for (uint32_t call = 0; call < calls.size(); ++call) {
    for (const Option* option : strongOptions(call)) {
      anyBetter |= !calls[call].option || option->evidence > calls[call].option->evidence;
      for (const OpId op : search.program.units()[option->unit].ops) waits[op] = true;
    }
  }
  if (!anyBetter) return std::nullopt;

  GraphRun run(graph, std::move(waits));
  IdVector<OpId, uint32_t> places(graph.module().ops.size(), ir::kNoIndex);
  for (uint32_t call = 0; call < calls.size(); ++call) {
    const Option *best = nullptr, *first = nullptr;
    for (const Option* option : strongOptions(call)) {
      const auto& ops = graph.alternatives()[option->alternative].ops;
      if (run.areReady(ops)) {
        if (!best || option->evidence > best->evidence) best = option;
      } else if (std::ranges::none_of(ops, [&](OpId op) { return run.isDone(op); })) {
        if (!first) first = option;
      }
    }
    const Option* taken = best ? best : first;
    if (!taken) continue;
    const auto& ops = graph.alternatives()[taken->alternative].ops;
    for (const OpId op : ops) places[op] = call;
    for (const OpId op : search.program.units()[taken->unit].ops) places[op] = call;
    run.runWithOperands(ops);
    run.runWithOperands(search.program.units()[taken->unit].ops);
  }
  return orderOfPlaces(std::move(places), graph.launches());
}

}  // namespace amdahlc::binding
