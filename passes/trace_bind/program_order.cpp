#include "passes/trace_bind/program_order.h"

#include <algorithm>
#include <boost/graph/depth_first_search.hpp>
#include <map>
#include <optional>
#include <utility>

#include "support/boost_graph.h"
#include "support/decimal_time.h"
#include "support/name_list.h"

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
  // The 2 of `log2` belongs to the name.
  const size_t bar = name.rfind('_');
  const std::string_view digits = bar == std::string_view::npos ? std::string_view() : name.substr(bar + 1);
  const auto number = isDigits(digits) ? parseWhole(digits) : std::nullopt;
  if (!number) return {name};
  return {name.substr(0, bar), static_cast<uint64_t>(*number), true};
}

/// From an operator to others that are expected before it.
using Children = DirectedGraph<OpId>::Edges;

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
  /// From each operator to those with the next lower numbers, which are expected before it. None without numbers.
  Children predecessors() const {
    Groups names = ofCalls_ ? byStem() : inOneSequence();
    if (names.empty()) names = byStem();
    Children result;
    for (const Groups& groups : {names, ofCalls_ ? Groups() : byConstants()}) {
      for (auto group = groups.begin(), before = group; group != groups.end(); before = group++) {
        if (group == before || group->first.first != before->first.first) continue;
        // Mostly, the last node of a call reads the others.
        for (const OpId op : group->second) result.emplace_back(op, before->second.back());
      }
    }
    return result;
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
Children operandsFirst(const ir::Module& module, const LaunchGraph& graph) {
  Children children;
  for (const OpId op : module.ops.ids()) {
    for (const ValueId input : module.ops[op].inputs) {
      if (input == kNone) continue;
      const ir::Value& value = module.values[input];
      if (value.kind == ir::Value::Kind::Result && value.producer != kNone) children.emplace_back(op, value.producer);
    }
    for (const OpId waited : graph.predecessors(op)) children.emplace_back(op, waited);  // repeated: visited once
  }
  return children;
}

/// Ranks in the order in which a walk from the results leaves operators, all children first unless they form a cycle.
IdVector<OpId, uint32_t> depthFirst(const ir::Module& module, Children children) {
  const DirectedGraph<OpId> graph(module.ops.size(), std::move(children));
  IdVector<OpId, uint32_t> rank(graph.size());
  std::vector<boost::default_color_type> colors(graph.size());
  const VertexIndex<OpId> index;
  const auto color = boost::make_iterator_property_map(colors.begin(), index);
  uint32_t last = ir::kNoIndex;  // is counted up before each use
  const auto stamp = boost::make_dfs_visitor(
      boost::stamp_times(boost::make_iterator_property_map(rank.begin(), index), last, boost::on_finish_vertex()));
  const auto visit = [&](OpId root) {
    if (colors[root.index()] == boost::white_color) boost::depth_first_visit(graph, root, stamp, color);
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

/// The operator of the lowest wish first.
IdVector<OpId, uint32_t> asTheGraphAllows(const IdVector<OpId, uint32_t>& wish, const LaunchGraph& graph) {
  IdVector<OpId, uint32_t> rank(wish.size(), 0);
  uint32_t next = 0;
  for (const OpId op : lowestFirstOrder(graph, wish)) rank[op] = next++;
  return rank;
}

}  // namespace

std::string_view name(OrderKind order) {
  // In the order of `OrderKind`.
  constexpr std::string_view kNames[] = {"the order of the model's nodes", "the order of the numbers in names",
                                         "the order of operands", "the order in which the trace states nodes",
                                         "the order in which calls can run the graph"};
  return kNames[static_cast<size_t>(order)];
}

ProgramOrders::ProgramOrders(const ir::Module& module, const LaunchGraph& graph) {
  const auto ranks = [&](OrderKind kind) -> auto& { return ranks_[static_cast<size_t>(kind)]; };
  for (const OpId op : module.ops.ids()) ranks(OrderKind::Model).push_back(static_cast<uint32_t>(op.index()));
  const Children operands = operandsFirst(module, graph);
  ranks(OrderKind::Operands) = depthFirst(module, operands);
  const Numbers numbers(module);
  if (numbers.rise()) return;
  likely_ = OrderKind::Operands;
  Children children = numbers.predecessors();
  if (children.empty()) return;
  likely_ = OrderKind::Numbers;
  children.insert(children.end(), operands.begin(), operands.end());
  // Numbers may contradict the edges of the graph.
  ranks(OrderKind::Numbers) = asTheGraphAllows(depthFirst(module, std::move(children)), graph);
}

IdVector<OpId, uint32_t> orderOfPlaces(IdVector<OpId, uint32_t> places, const LaunchGraph& graph) {
  const std::vector<OpId> order = lowestFirstOrder(graph, IdVector<OpId, uint32_t>(places.size(), 0));
  const auto beforeUsers = [&] {
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      if (places[*op] != ir::kNoIndex) continue;
      for (const OpId user : graph.successors(*op)) places[*op] = std::min(places[*op], places[user]);
    }
  };
  beforeUsers();
  for (const OpId op : order) {
    if (places[op] != ir::kNoIndex) continue;
    std::optional<uint32_t> after;
    for (const OpId waited : graph.predecessors(op))
      if (places[waited] != ir::kNoIndex) after = std::max(after.value_or(0), places[waited]);
    places[op] = after.value_or(ir::kNoIndex);
  }
  beforeUsers();
  return asTheGraphAllows(places, graph);
}

}  // namespace amdahlc::binding
