#include "ir/tensor_roots.h"

#include <algorithm>
#include <optional>

#include "ir/applicability.h"
#include "ir/facets/bound.h"
#include "ir/known_values.h"

namespace amdahlc::ir {
namespace {

/// The operand that a body's input stands for, and whether each trip reads a slice of it.
struct BodyOperand {
  size_t operand = 0;
  bool isSlice = false;
};

std::optional<BodyOperand> operandOfInput(const Module& module, const Op& op, size_t inputs, size_t input) {
  const std::string_view type = module.text(op.type);
  if (type == "If") return std::nullopt;
  // The first input of a loop's body counts the trips.
  if (type == "Loop") return input == 0 ? std::nullopt : std::optional(BodyOperand{input});
  // Until version 8 a scan had the lengths of its sequences before its operands.
  const size_t before = op.inputs.size() > inputs ? op.inputs.size() - inputs : 0;
  const Attribute* scanned = op.attribute("num_scan_inputs");
  const auto* count = scanned ? std::get_if<int64_t>(&scanned->value) : nullptr;
  const bool isSlice = count && *count >= 0 && input + static_cast<size_t>(*count) >= inputs;
  return BodyOperand{input + before, isSlice};
}

}  // namespace

IdVector<KernelId, bool> renamingKernels(const Module& module, const Cover& cover) {
  const auto* bound = cover.facets.get<BoundFacet>();
  const Timeline* run = module.findTimeline(cover.traceLabel);
  const std::vector<OperatorName> views = viewsOn(module.rules, run != nullptr ? run->target : module.target);
  IdVector<KernelId, bool> renames(cover.kernels.size(), false);
  for (const Kernel& kernel : cover.kernels) {
    if (bound != nullptr && !bound->kernels[kernel.id].events.empty()) continue;
    renames[kernel.id] = hasNoDeviceWork(module, kernel) ||
                         (bound != nullptr && bound->kernels[kernel.id].state == KernelState::NoDeviceWork) ||
                         std::ranges::all_of(kernel.ops, [&](OpId op) { return isOneOf(views, module, op); });
  }
  return renames;
}

IdVector<OpId, bool> renamingOperators(const OperatorGraph& graph, const KernelHolders& holders,
                                       const IdVector<KernelId, bool>& kernels) {
  IdVector<OpId, bool> renames(graph.size(), false);
  for (const OpId op : graph.order())
    renames[op] = std::ranges::all_of(holders.of(op), [&](KernelId kernel) { return kernels[kernel]; });
  return renames;
}

TensorRoots::TensorRoots(const Module& module, const OperatorGraph& graph, const IdVector<OpId, bool>& renames)
    : module_(module), graph_(graph), tensors_(module.values.size()) {
  root_.reserve(module.values.size());
  for (const OpId op : graph.order()) {
    if (renames[op]) addView(op);
    addOperandsOfBodies(op);
  }
  // Only now a result of a body leads to the value in the body that it is a view of.
  for (const OpId op : graph.order()) addResultsOfBodies(op);
  for (const ValueId value : module.values.ids()) root_.push_back(find(value));
}

void TensorRoots::addView(OpId op) {
  if (tellsShape(module_.text(module_.ops[op].type))) return;
  const auto operands = graph_.inputs(op);
  ValueId source;
  for (const bool constants : {false, true}) {
    for (uint32_t operand = 0; operand < operands.size(); ++operand) {
      const ValueId value = operands[operand];
      if (value.isNone() || graph_.isConstant(value) != constants || isShapeOperand(module_, module_.ops[op], operand))
        continue;
      // What joins two tensors is a new one. Of constants only the first is the data.
      if (!source.isNone() && !constants) return;
      if (source.isNone()) source = value;
    }
    if (!source.isNone()) break;
  }
  if (source.isNone()) return;
  for (const ValueId result : graph_.outputs(op)) {
    if (result.isNone() || module_.values[result].producer != op) continue;
    const ElementType from = module_.values[source].type.element, to = module_.values[result].type.element;
    const bool isKnown = from != ElementType::Undefined && to != ElementType::Undefined;
    if (!isKnown || from == to) join(result, source);
  }
}

void TensorRoots::addOperandsOfBodies(OpId op) {
  const Op& at = module_.ops[op];
  for (const Region& region : at.regions) {
    const Graph& body = module_.graphs[region.graph];
    for (size_t input = 0; input < body.inputs.size(); ++input) {
      const auto from = operandOfInput(module_, at, body.inputs.size(), input);
      if (!from || from->operand >= at.inputs.size() || at.inputs[from->operand].isNone()) continue;
      const ValueId operand = at.inputs[from->operand];
      // What a trip hands to the next one does not overwrite a constant: that starts as a copy of it.
      if (graph_.isConstant(operand) && !from->isSlice) continue;
      join(body.inputs[input], operand);
    }
  }
}

void TensorRoots::addResultsOfBodies(OpId op) {
  const Op& at = module_.ops[op];
  for (const Region& region : at.regions) {
    const Graph& body = module_.graphs[region.graph];
    // A loop's body also returns whether there is another trip.
    const size_t before = module_.text(at.type) == "Loop" ? 1 : 0;
    for (size_t output = before; output < body.outputs.size(); ++output) {
      if (output - before >= at.outputs.size() || at.outputs[output - before].isNone()) continue;
      const ValueId made = find(body.outputs[output]);
      // A tensor from outside of the body stays one of its own.
      const Value& value = module_.values[made];
      if (value.kind == Value::Kind::Result && value.graph == region.graph && !graph_.isConstant(made))
        join(made, at.outputs[output - before]);
    }
  }
}

}  // namespace amdahlc::ir
