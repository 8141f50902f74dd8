#include "passes/trace_bind/program_order.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;
using ir::ValueId;

namespace {

/// A few names that do not rise are no sign that nodes were moved: one in so many.
constexpr size_t kRisingPart = 20;

/// A name without its running number, and the number; 0 without one. `Add_1` follows `Add`.
struct NumberedName {
  std::string_view stem;
  uint64_t number = 0;
  bool numbered = false;
};

NumberedName numberedName(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  NumberedName result{name};
  const auto end = name.data() + name.size();
  // The 2 of `log2` belongs to the name.
  if (digits == 0 || digits == name.size() || name[digits - 1] != '_' ||
      std::from_chars(name.data() + digits, end, result.number).ec != std::errc())
    return result;
  result.numbered = true;
  result.stem = name.substr(0, digits - 1);
  return result;
}

/// By operator: others that are expected before it.
using Children = IdVector<OpId, std::vector<OpId>>;

/// The running numbers of a module, which exporters give in the order of export: to the calls that nodes were taken
/// from (`view_12`), or to nodes and values (`node_MatMul_13`, `/a/Add_1`).
class Numbers {
 public:
  explicit Numbers(const ir::Module& module) : module_(module) {
    size_t calls = 0;
    for (const ir::Op& op : module.ops) calls += !op.sourceCall.empty();
    ofCalls_ = 2 * calls > module.ops.size();
  }
  /// Whether nodes were hardly moved since the export: the numbers of one stem rise in the order of the nodes.
  bool rise() const {
    size_t pairs = 0, falls = 0;
    const auto count = [&](std::map<std::string_view, uint64_t>& last, Symbol symbol) {
      if (symbol.empty()) return;
      const NumberedName found = numberedName(module_.text(symbol));
      const auto [entry, isNew] = last.try_emplace(found.stem, found.number);
      if (isNew) return;
      ++pairs;
      falls += found.number < entry->second;
      entry->second = found.number;
    };
    std::map<std::string_view, uint64_t> nodes, values;
    for (const ir::Op& op : module_.ops) {
      if (op.graph != ir::kMainGraph) continue;
      count(nodes, ofCalls_ ? op.sourceCall : op.name);
      if (!ofCalls_ && !op.outputs.empty() && op.outputs[0] != kNone) count(values, module_.values[op.outputs[0]].name);
    }
    // Calls are numbered as they are traced. Exporters name some nodes and values later.
    return ofCalls_ ? falls == 0 : falls * kRisingPart <= pairs;
  }
  /// By operator: those with the next lower numbers, which are expected before it. nullopt if no operator has one.
  std::optional<Children> predecessors() const {
    Groups names = ofCalls_ ? byStem() : inOneSequence();
    if (names.empty()) names = byStem();
    Children result(module_.ops.size());
    bool any = false;
    for (const Groups& groups : {names, ofCalls_ ? Groups() : byConstants()}) {
      for (auto group = groups.begin(), before = group; group != groups.end(); before = group++) {
        if (group == before || group->first.first != before->first.first) continue;
        // Mostly, the last node of a call reads the others.
        for (const OpId op : group->second) result[op].push_back(before->second.back());
        any = true;
      }
    }
    return any ? std::optional(std::move(result)) : std::nullopt;
  }

 private:
  /// By stem and number; members ascending.
  using Groups = std::map<std::pair<std::string_view, uint64_t>, std::vector<OpId>>;
  Groups byStem() const {
    Groups groups;
    for (const OpId op : module_.ops.ids()) {
      const Symbol symbol = ofCalls_ ? module_.ops[op].sourceCall : module_.ops[op].name;
      if (symbol.empty()) continue;
      const NumberedName name = numberedName(module_.text(symbol));
      groups[{name.stem, name.number}].push_back(op);
    }
    return groups;
  }
  /// All in one stem, if the names of most nodes have numbers, and all of these differ; else empty.
  Groups inOneSequence() const {
    Groups groups;
    for (const OpId op : module_.ops.ids()) {
      const NumberedName name = numberedName(module_.text(module_.ops[op].name));
      if (!name.numbered) continue;
      std::vector<OpId>& members = groups[{std::string_view(), name.number}];
      if (!members.empty()) return {};
      members.push_back(op);
    }
    if (2 * groups.size() <= module_.ops.size()) groups.clear();
    return groups;
  }
  /// Operators by the constants that they alone read, where the exporter made up the name: `onnx::MatMul_345`.
  Groups byConstants() const {
    IdVector<ValueId, uint8_t> readers(module_.values.size(), 0);
    for (const ir::Op& op : module_.ops)
      for (const ValueId input : op.inputs)
        if (input != kNone) readers[input] = static_cast<uint8_t>(std::min(readers[input] + 1, 2));
    Groups groups;
    for (const OpId op : module_.ops.ids()) {
      for (const ValueId input : module_.ops[op].inputs) {
        if (input == kNone || readers[input] > 1 || module_.values[input].kind != ir::Value::Kind::Constant) continue;
        const NumberedName name = numberedName(module_.text(module_.values[input].name));
        if (name.numbered && name.stem.find("::") != std::string_view::npos)
          groups[{name.stem, name.number}].push_back(op);
      }
    }
    return groups;
  }

  const ir::Module& module_;
  bool ofCalls_ = false;
};

/// The operators that each one waits for: operands in the order of the operator's inputs, then others. For a
/// control-flow operator, first its operands, then its bodies.
Children operandsFirst(const ir::Module& module, const ProgramOrders::Edges& waitsFor) {
  Children children(module.ops.size());
  for (const OpId op : module.ops.ids()) {
    for (const ValueId input : module.ops[op].inputs) {
      if (input == kNone) continue;
      const ir::Value& value = module.values[input];
      if (value.kind == ir::Value::Kind::Result && value.producer != kNone) children[op].push_back(value.producer);
    }
    for (const OpId waited : waitsFor(op)) children[op].push_back(waited);  // those that repeat are visited once
  }
  return children;
}

/// Ranks in the order in which a walk from the results leaves operators, all children first unless they form a cycle.
IdVector<OpId, uint32_t> depthFirst(const ir::Module& module, const Children& children) {
  const size_t count = module.ops.size();
  IdVector<OpId, uint32_t> rank(count, ir::kNoIndex);
  uint32_t next = 0;
  IdVector<OpId, uint8_t> open(count, 0);
  std::vector<std::pair<OpId, size_t>> stack;
  const auto visit = [&](OpId root) {
    if (rank[root] != ir::kNoIndex || open[root]) return;
    stack.emplace_back(root, 0);
    open[root] = 1;
    while (!stack.empty()) {
      auto& [op, child] = stack.back();
      if (child < children[op].size()) {
        const OpId to = children[op][child++];
        if (rank[to] == ir::kNoIndex && !open[to]) {
          open[to] = 1;
          stack.emplace_back(to, 0);
        }
        continue;
      }
      rank[op] = next++;
      stack.pop_back();
    }
  };
  if (!module.graphs.empty()) {
    for (const ValueId output : module.graphs[ir::kMainGraph].outputs) {
      const ir::Value& value = module.values[output];
      if (value.kind == ir::Value::Kind::Result && value.producer != kNone) visit(value.producer);
    }
  }
  for (const OpId op : module.ops.ids()) visit(op);
  return rank;
}

/// Kahn's order, the operator of the lowest wish first.
IdVector<OpId, uint32_t> asTheGraphAllows(const IdVector<OpId, uint32_t>& wish, const ProgramOrders::Edges& waitsFor,
                                          const ProgramOrders::Edges& waiting) {
  IdVector<OpId, uint32_t> rank(wish.size(), 0);
  IdVector<OpId, size_t> missing(wish.size(), 0);
  std::set<std::pair<uint32_t, OpId>> ready;
  for (const OpId op : wish.ids()) {
    missing[op] = waitsFor(op).size();
    if (missing[op] == 0) ready.emplace(wish[op], op);
  }
  for (uint32_t next = 0; !ready.empty(); ++next) {
    const OpId op = ready.begin()->second;
    ready.erase(ready.begin());
    rank[op] = next;
    for (const OpId user : waiting(op))
      if (--missing[user] == 0) ready.emplace(wish[user], user);
  }
  return rank;
}

}  // namespace

std::string_view name(OrderKind order) {
  switch (order) {
    case OrderKind::Model:
      return "the order of the model's nodes";
    case OrderKind::Numbers:
      return "the order of the numbers in names";
    case OrderKind::Operands:
      return "the order of operands";
    case OrderKind::Trace:
      return "the order in which the trace states nodes";
    case OrderKind::Calls:
      return "the order in which calls can run the graph";
  }
  return {};
}

ProgramOrders::ProgramOrders(const ir::Module& module, const Edges& waitsFor, const Edges& waiting) {
  const auto ranks = [&](OrderKind kind) -> auto& { return ranks_[static_cast<size_t>(kind)]; };
  for (const OpId op : module.ops.ids()) ranks(OrderKind::Model).push_back(static_cast<uint32_t>(op.index()));
  Children children = operandsFirst(module, waitsFor);
  ranks(OrderKind::Operands) = depthFirst(module, children);
  const Numbers numbers(module);
  if (numbers.rise()) return;
  likely_ = OrderKind::Operands;
  const auto predecessors = numbers.predecessors();
  if (!predecessors) return;
  likely_ = OrderKind::Numbers;
  for (const OpId op : module.ops.ids())
    children[op].insert(children[op].begin(), (*predecessors)[op].begin(), (*predecessors)[op].end());
  // Numbers may contradict the edges of the graph.
  ranks(OrderKind::Numbers) = asTheGraphAllows(depthFirst(module, children), waitsFor, waiting);
}

IdVector<OpId, uint32_t> orderOfPlaces(IdVector<OpId, uint32_t> places, const ProgramOrders::Edges& waitsFor,
                                       const ProgramOrders::Edges& waiting) {
  // Users first, in an order that the graph allows.
  const IdVector<OpId, uint32_t> order =
      asTheGraphAllows(IdVector<OpId, uint32_t>(places.size(), 0), waitsFor, waiting);
  std::vector<OpId> usersFirst(places.ids().begin(), places.ids().end());
  std::sort(usersFirst.begin(), usersFirst.end(),
            [&](OpId a, OpId b) { return std::pair(order[a], a) > std::pair(order[b], b); });
  const auto beforeUsers = [&] {
    for (const OpId op : usersFirst) {
      if (places[op] != ir::kNoIndex) continue;
      for (const OpId user : waiting(op)) places[op] = std::min(places[op], places[user]);
    }
  };
  beforeUsers();
  for (auto op = usersFirst.rbegin(); op != usersFirst.rend(); ++op) {
    if (places[*op] != ir::kNoIndex) continue;
    std::optional<uint32_t> after;
    for (const OpId waited : waitsFor(*op))
      if (places[waited] != ir::kNoIndex) after = std::max(after.value_or(0), places[waited]);
    places[*op] = after.value_or(ir::kNoIndex);
  }
  beforeUsers();
  return asTheGraphAllows(places, waitsFor, waiting);
}

}  // namespace amdahlc::binding
