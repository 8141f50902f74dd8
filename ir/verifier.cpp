#include "ir/verifier.h"

#include <algorithm>
#include <unordered_set>

#include "ir/domain.h"
#include "ir/invariants.h"
#include "ir/text/writer.h"
#include "support/limits.h"

namespace amdahlc::ir {

namespace {

constexpr size_t kMaxReports = 20;

}  // namespace

std::string InvariantReporter::graphName(GraphId graph) const {
  return module_.graphs.contains(graph) ? std::string(module_.text(module_.graphs[graph].name)) : std::string();
}

void InvariantReporter::report(OnnxLocation location, const std::string& message) {
  if (++count_ > kMaxReports) return;
  diagnostics_.error(DiagId::IrInvariant, std::move(location), message);
}

void InvariantReporter::graph(GraphId graph, const std::string& message) {
  report({module_.modelName, graphName(graph), {}, {}}, "graph " + number(graph) + ": " + message);
}

void InvariantReporter::op(OpId op, const std::string& message) {
  const Op& known = module_.ops[op];
  report({module_.modelName, graphName(known.graph), std::string(module_.text(known.name)), {}},
         "operator `#" + number(op) + "`: " + message);
}

void InvariantReporter::value(ValueId value, const std::string& message) {
  const Value& known = module_.values[value];
  const std::string name(module_.text(known.name));
  report({module_.modelName, graphName(known.graph), {}, name}, "value `%" + name + "`: " + message);
}

namespace {

void verifyRegions(const Module& module, InvariantReporter& reporter) {
  IdVector<GraphId, uint32_t> owners(module.graphs.size(), 0);
  for (const OpId op : module.ops.ids()) {
    for (const Region& region : module.ops[op].regions) {
      if (!module.graphs.contains(region.graph)) {
        reporter.op(op, "region `" + region.name + "` is graph " + number(region.graph) + ", and there are " +
                            number(module.graphs.size()));
      } else if (module.graphs[region.graph].parent != op) {
        reporter.op(op, "region `" + region.name + "` is graph " + number(region.graph) + ", which has another parent");
      } else {
        ++owners[region.graph];
      }
    }
  }
  IdVector<GraphId, int> depth(module.graphs.size(), 0);
  for (const GraphId graph : module.graphs.ids()) {
    const OpId parent = module.graphs[graph].parent;
    if (graph == kMainGraph) {
      if (parent != kNone) reporter.graph(graph, "the main graph has a parent");
      continue;
    }
    if (!module.ops.contains(parent)) {
      reporter.graph(graph, "no parent operator");
    } else if (owners[graph] != 1) {
      reporter.graph(graph, "a region " + number(owners[graph]) + " times");
    } else if (module.ops[parent].graph >= graph) {
      reporter.graph(graph, "numbered before the graph of its parent");
    } else {
      depth[graph] = depth[module.ops[parent].graph] + 1;
      if (depth[graph] > limits::kGraphNesting)
        reporter.graph(graph, "nested deeper than " + number(limits::kGraphNesting));
    }
  }
}

void verifyOp(const Module& module, OpId id, InvariantReporter& reporter) {
  const Op& op = module.ops[id];
  const auto outOfRange = [&](ValueId value) { return value != kNone && !module.values.contains(value); };
  if (!module.graphs.contains(op.graph))
    return reporter.op(id, "in graph " + number(op.graph) + ", and there are " + number(module.graphs.size()));
  if (std::ranges::any_of(op.inputs, outOfRange)) reporter.op(id, "an operand that is not a value");
  if (std::ranges::any_of(op.outputs, outOfRange)) reporter.op(id, "an output that is not a value");
  if (op.type.empty()) reporter.op(id, "no operator type");
  if (module.text(op.domain) == kOwnDomain) reporter.op(id, "ONNX's own domain must be empty");
  if (!module.scopes.contains(op.scope)) reporter.op(id, "in no module scope");
  const auto unordered = std::ranges::adjacent_find(
      op.attributes, [](const Attribute& a, const Attribute& b) { return a.name >= b.name; });
  if (unordered != op.attributes.end())
    reporter.op(id, "attributes out of order, or twice, at `" + unordered->name + "`");
  if (op.state == OpState::Absorbed && op.absorbedInto == kNone) reporter.op(id, "absorbed, but into no operator");
  if (op.state != OpState::Absorbed && op.absorbedInto != kNone)
    reporter.op(id, "not absorbed, but with an operator that absorbed it");
  if (op.absorbedInto != kNone &&
      (!module.ops.contains(op.absorbedInto) || module.ops[op.absorbedInto].state != OpState::Live)) {
    reporter.op(id, "absorbed into an operator that is not live");
  } else if (op.absorbedInto != kNone) {
    const auto& absorbed = module.ops[op.absorbedInto].absorbed;
    if (!std::ranges::binary_search(absorbed, id)) reporter.op(id, "not in the list of the operator that absorbed it");
  }
  const auto& before = op.controlPredecessors;
  const auto isEarlier = [&](OpId other) { return other < id && module.ops[other].graph == op.graph; };
  if (!strictlyAscending(before) || !std::ranges::all_of(before, isEarlier))
    reporter.op(id, "comes after operators that are not earlier ones of its graph, each once and ascending");
  if (!strictlyAscending(op.absorbed)) reporter.op(id, "list of absorbed operators not ascending");
  for (const OpId absorbed : op.absorbed)
    if (!module.ops.contains(absorbed) || module.ops[absorbed].absorbedInto != id)
      reporter.op(id, "lists `#" + number(absorbed) + "` as absorbed, which is not");
}

}  // namespace

void verifyStructure(const Module& module, InvariantReporter& reporter) {
  if (module.graphs.empty()) return reporter.module("a module without a graph");
  for (const OpId op : module.ops.ids()) verifyOp(module, op, reporter);
  if (!reporter.sound()) return;
  verifyRegions(module, reporter);
  if (!reporter.sound()) return;

  IdVector<OpId, uint32_t> ordered(module.ops.size(), 0);
  for (const GraphId graph : module.graphs.ids()) {
    for (const OpId op : module.graphs[graph].order)
      if (!module.ops.contains(op) || module.ops[op].graph != graph)
        reporter.graph(graph, "its order holds `#" + number(op) + "`, which is not one of its operators");
      else
        ++ordered[op];
    for (const auto* list : {&module.graphs[graph].inputs, &module.graphs[graph].outputs}) {
      const bool isInput = list == &module.graphs[graph].inputs;
      for (const ValueId value : *list)
        if (!module.values.contains(value))
          reporter.graph(graph, isInput ? "an input that is not a value" : "an output that is not a value");
        else if (isInput && (module.values[value].kind != Value::Kind::Input || module.values[value].graph != graph))
          reporter.value(value, "input of graph " + number(graph) + ", but of another kind or graph");
    }
  }
  for (const OpId op : module.ops.ids()) {
    const bool live = module.ops[op].state == OpState::Live;
    if (ordered[op] != (live ? 1u : 0u))
      reporter.op(
          op, std::string(live ? "live" : "erased") + ", but " + number(ordered[op]) + " times in its graph's order");
    const OpId parent = module.graphs[module.ops[op].graph].parent;
    if (parent == kNone) continue;
    if (parent >= op) reporter.op(op, "numbered before the operator whose region holds it");
    if (live && module.ops[parent].state != OpState::Live) reporter.op(op, "live in a region of an erased operator");
  }
}

namespace {

void verifyType(const Type& type, ValueId value, int depth, InvariantReporter& reporter) {
  if (depth > limits::kTypeNesting)
    return reporter.value(value, "type nested deeper than " + number(limits::kTypeNesting));
  const bool wraps =
      type.kind == Type::Kind::Sequence || type.kind == Type::Kind::Optional || type.kind == Type::Kind::Map;
  if (type.parameters.size() != (wraps ? 1u : 0u))
    reporter.value(value, "type with " + number(type.parameters.size()) + " parameters");
  if (!type.ranked && !type.dims.empty()) reporter.value(value, "dimensions, but no rank");
  for (const Dim& dim : type.dims)
    if (dim.value < Dim::kNotNumeric || (dim.isNumber() && !dim.symbol.empty()))
      reporter.value(value, "a dimension that is negative, or number and symbol");
  for (const Type& parameter : type.parameters) verifyType(parameter, value, depth + 1, reporter);
}

void verifyConstant(const TensorConstant& constant, ValueId value, InvariantReporter& reporter) {
  verifyType(constant.type, value, 0, reporter);
  const bool ints = isInteger(constant.type.element);
  if ((constant.ints && !ints) || (constant.floats && ints))
    reporter.value(value, "constant data of another kind than " + std::string(name(constant.type.element)));
  const size_t kept = constant.ints ? constant.ints->size() : constant.floats ? constant.floats->size() : 0;
  const auto count = constant.type.elementCount();
  if ((constant.ints || constant.floats) &&
      (kept > TensorConstant::kMaxKeptElements || !count || static_cast<size_t>(*count) != kept)) {
    reporter.value(value, number(kept) + " elements kept of " + describe(constant.type));
  }
}

}  // namespace

void verifyValues(const Module& module, InvariantReporter& reporter) {
  IdVector<ValueId, uint32_t> asInput(module.values.size(), 0);
  for (const Graph& graph : module.graphs)
    for (const ValueId input : graph.inputs) ++asInput[input];
  std::unordered_set<uint64_t> names;
  names.reserve(module.values.size());
  for (const ValueId id : module.values.ids()) {
    const Value& value = module.values[id];
    if (!module.graphs.contains(value.graph)) {
      reporter.module("value " + number(id) + " in graph " + number(value.graph) + ", and there are " +
                      number(module.graphs.size()));
      continue;
    }
    if (value.name.empty()) reporter.value(id, "without a name");
    if (!names.insert(uint64_t{value.graph.index()} << 32 | value.name.index).second)
      reporter.value(id, "not the only value of this name in its graph");
    verifyType(value.type, id, 0, reporter);
    if (value.byteSize && *value.byteSize < 0) reporter.value(id, "negative byte size");
    if (value.storage != kNone && !module.storages.contains(value.storage))
      reporter.value(id, "in storage " + number(value.storage) + ", and there are " + number(module.storages.size()));
    if (value.constant) verifyConstant(*value.constant, id, reporter);
    if (asInput[id] != (value.kind == Value::Kind::Input ? 1u : 0u))
      reporter.value(id, number(asInput[id]) + " times an input of its graph");
    if (value.producer != kNone) {
      const Op* producer = module.ops.contains(value.producer) ? &module.ops[value.producer] : nullptr;
      if (producer == nullptr || producer->graph != value.graph || value.producerIndex >= producer->outputs.size() ||
          producer->outputs[value.producerIndex] != id) {
        reporter.value(id, "not an output of its producer");
        continue;
      }
    }
    switch (value.kind) {
      case Value::Kind::Absent:
        reporter.value(id, "absent");
        break;
      case Value::Kind::Input:
        if (value.producer != kNone) reporter.value(id, "an input with a producer");
        break;
      case Value::Kind::Constant:
        if (!value.constant) reporter.value(id, "a constant without its tensor");
        if (value.producer != kNone && module.ops[value.producer].state == OpState::Live)
          reporter.value(id, "a constant whose producer is live");
        break;
      case Value::Kind::Result:
        if (value.producer == kNone) reporter.value(id, "a result without a producer");
        break;
    }
  }
  for (const OpId op : module.ops.ids()) {
    for (const ValueId output : module.ops[op].outputs)
      if (output != kNone && module.values[output].producer != op)
        reporter.op(op, "an output that another operator produces");
  }
}

void verifyOrder(const Module& module, InvariantReporter& reporter) {
  IdVector<OpId, uint32_t> position(module.ops.size());
  for (const Graph& graph : module.graphs)
    for (uint32_t i = 0; i < graph.order.size(); ++i) position[graph.order[i]] = i;
  // Why `value` cannot be used by `user` of `graph` (kNone: by what follows all operators); null if it can.
  const auto obstacle = [&](ValueId id, GraphId graph, OpId user) -> const char* {
    const Value& value = module.values[id];
    while (graph != value.graph) {
      user = module.graphs[graph].parent;
      if (user == kNone) return "uses a value of a graph that does not enclose it: ";
      graph = module.ops[user].graph;
    }
    if (value.kind != Value::Kind::Result) return nullptr;
    if (module.ops[value.producer].state != OpState::Live) return "uses a value of an erased operator: ";
    if (user != kNone && position[value.producer] >= position[user]) return "uses a value before it is made: ";
    return nullptr;
  };
  for (const GraphId graph : module.graphs.ids()) {
    // Ids ascend in the order of execution, so that passes can visit operators by id and see producers before users.
    OpId previous = kNone;
    for (const OpId op : module.graphs[graph].order) {
      if (previous != kNone && op <= previous)
        reporter.op(op, "comes after `#" + number(previous) + "`; ids ascend within a graph");
      previous = op;
      for (const ValueId input : module.ops[op].inputs) {
        if (input == kNone) continue;
        if (const char* why = obstacle(input, graph, op))
          reporter.op(op, why + ('`' + ('%' + std::string(module.text(module.values[input].name))) + '`'));
      }
    }
    const OpId parent = module.graphs[graph].parent;
    if (parent != kNone && module.ops[parent].state != OpState::Live) continue;
    for (const ValueId output : module.graphs[graph].outputs)
      if (const char* why = obstacle(output, graph, kNone))
        reporter.graph(graph, why + ('`' + ('%' + std::string(module.text(module.values[output].name))) + '`'));
  }
}

bool verify(const Module& module, DiagnosticEngine& diagnostics) {
  InvariantReporter reporter(module, diagnostics);
  for (const auto part :
       {verifyStructure, verifyValues, verifyOrder, verifyCandidates, verifyTimelines, verifyCovers, verifyFacets}) {
    part(module, reporter);
    // The following parts use indices that this part found invalid.
    if (!reporter.sound()) return false;
  }
  return true;
}

}  // namespace amdahlc::ir
