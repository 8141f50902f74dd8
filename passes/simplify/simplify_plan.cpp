#include "passes/simplify/simplify_plan.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace amdahlc::simplify {

namespace {

using ir::HostUse;
using ir::kNone;
using ir::Op;
using ir::OpId;
using ir::OpState;
using ir::ValueId;

std::optional<int64_t> integerAttribute(const Op& op, std::string_view name) {
  const auto* attribute = op.attribute(name);
  const auto* value = attribute != nullptr ? std::get_if<int64_t>(&attribute->value) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// The permutation of a Transpose; empty if it depends on an unknown rank.
std::vector<int64_t> permutation(const ir::Module& module, const Op& op) {
  if (const auto* attribute = op.attribute("perm"))
    if (const auto* perm = std::get_if<std::vector<int64_t>>(&attribute->value)) return *perm;
  std::vector<int64_t> reversed;
  const ir::Type& type = module.values[op.inputs.front()].type;
  if (type.isTensor() && type.ranked)
    for (size_t i = type.dims.size(); i-- > 0;) reversed.push_back(static_cast<int64_t>(i));
  return reversed;
}

bool isIdentity(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int64_t>(i)) return false;
  return !perm.empty();
}

}  // namespace

SimplifyPlan::SimplifyPlan(const ir::Module& module, const ir::OperatorGraph& graph)
    : module_(module),
      host_(module),
      graph_(graph),
      reasons_(module.ops.size(), Reason::Kept),
      absorbers_(module.ops.size()),
      forward_(module.values.size()),
      undone_(module.ops.size(), false) {
  for (const ValueId value : forward_.ids()) forward_[value] = value;
  decideInOrder();
  foldShapeOnlyValues();
  findDead();
  findAbsorbers();
}

bool SimplifyPlan::makesConstants(OpId op) const {
  if (reasons_[op] == Reason::Constant || reasons_[op] == Reason::ShapeArithmetic) return true;
  if (reasons_[op] != Reason::Hidden) return false;
  const auto& outputs = module_.ops[op].outputs;
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](ValueId output) { return output == kNone || forward_[output] == output; });
}

bool SimplifyPlan::isHidden(const Op& op) const {
  // An operator with a body cannot be hidden, because its body may have device work.
  if (!op.regions.empty()) return false;
  return ir::contains(module_.rules.hidden, module_.text(op.domain), module_.text(op.type));
}

/// Whether the operand already has the target type.
bool SimplifyPlan::isNoOpCast(const Op& op) const {
  if (op.outputs.empty() || op.outputs.front() == kNone) return false;
  const ir::Type &from = module_.values[op.inputs.front()].type, &to = module_.values[op.outputs.front()].type;
  return from.isTensor() && to.isTensor() && from.element != ir::ElementType::Undefined && from.element == to.element;
}

/// Whether the transpose has no effect, or reverses an earlier one. The earlier one is removed too if it has no other
/// use.
bool SimplifyPlan::isNoOpTranspose(OpId id) {
  const std::vector<int64_t> perm = permutation(module_, module_.ops[id]);
  if (isIdentity(perm)) return true;
  const ir::Value& source = module_.values[forward_[module_.ops[id].inputs.front()]];
  if (source.kind != ir::Value::Kind::Result || perm.empty()) return false;
  const Op& earlier = module_.ops[source.producer];
  if (!earlier.domain.empty() || module_.text(earlier.type) != "Transpose" || reasons_[source.producer] != Reason::Kept)
    return false;
  const std::vector<int64_t> first = permutation(module_, earlier);
  if (first.size() != perm.size()) return false;
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] < 0 || static_cast<size_t>(perm[i]) >= first.size() ||
        first[static_cast<size_t>(perm[i])] != static_cast<int64_t>(i))
      return false;
  undone_[source.producer] = true;
  return true;
}

bool SimplifyPlan::isInferenceDropout(const Op& op) const {
  for (size_t i = 1; i < op.outputs.size(); ++i)
    if (op.outputs[i] != kNone && (!graph_.uses(op.outputs[i]).empty() || graph_.isGraphOutput(op.outputs[i])))
      return false;
  // Up to opset 6 an attribute selects training mode. In opsets 7 to 11 Dropout is for inference only. From opset 12
  // the third operand selects it.
  if (const int64_t opset = module_.opset(""); opset > 0 && opset < 7)
    return integerAttribute(op, "is_test").value_or(0) != 0;
  if (op.inputs.size() < 3 || op.inputs[2] == kNone) return true;
  const auto& mode = host_.of(forward_[op.inputs[2]]).elements;
  return mode && mode->size() == 1 && mode->front() && *mode->front() == 0;
}

HostUse SimplifyPlan::hostUse(const Op& op) const {
  HostUse use = HostUse::Always;
  for (const ValueId output : op.outputs)
    if (output != kNone) use = std::min(use, host_.of(output).use);
  return op.outputs.empty() ? HostUse::Never : use;
}

/// Forwards every result of the operator to one of its operands.
Reason SimplifyPlan::passThrough(OpId id, uint32_t operand, Reason reason) {
  const ValueId source = forward_[module_.ops[id].inputs[operand]];
  for (const ValueId output : module_.ops[id].outputs) {
    if (output == kNone) continue;
    forward_[output] = source;
    host_.forward(source, output);
  }
  return reason;
}

/// Forwards each result to the first data operand of its element type and rank, else to the first data operand (because
/// rules may hide a cast or a reshape), else to the first operand.
void SimplifyPlan::hide(const Op& op) {
  const auto carriesData = [&](ValueId operand) {
    return host_.of(operand).use == HostUse::Never && module_.values[operand].kind != ir::Value::Kind::Constant;
  };
  const auto isAlike = [&](ValueId operand, ValueId result) {
    const ir::Type &from = module_.values[operand].type, &to = module_.values[result].type;
    const bool isRankKnown = from.ranked && to.ranked;
    return from.kind == to.kind && from.element == to.element && (!isRankKnown || from.dims.size() == to.dims.size());
  };
  for (const ValueId output : op.outputs) {
    if (output == kNone) continue;
    ValueId chosen = kNone;
    int best = -1;
    for (const ValueId operand : op.inputs) {
      if (operand == kNone) continue;
      const int fitness = !carriesData(operand) ? 0 : isAlike(operand, output) ? 2 : 1;
      if (fitness > best) {
        best = fitness;
        chosen = operand;
      }
    }
    if (chosen == kNone) continue;
    forward_[output] = forward_[chosen];
    host_.forward(forward_[chosen], output);
  }
}

Reason SimplifyPlan::decide(OpId id) {
  const Op& op = module_.ops[id];
  if (ir::constantOperatorTensor(module_, op)) return Reason::Constant;
  if (isHidden(op)) {
    hide(op);
    return Reason::Hidden;
  }
  if (hostUse(op) == HostUse::Always) return Reason::ShapeArithmetic;
  if (!op.domain.empty() || op.inputs.empty() || op.inputs.front() == kNone) return Reason::Kept;
  const std::string_view type = module_.text(op.type);
  if (type == "Identity") return passThrough(id, 0, Reason::Identity);
  if ((type == "Cast" || type == "CastLike") && isNoOpCast(op)) return passThrough(id, 0, Reason::Cast);
  if (type == "Dropout" && isInferenceDropout(op)) return passThrough(id, 0, Reason::Dropout);
  if (type == "Transpose" && isNoOpTranspose(id)) {
    if (isIdentity(permutation(module_, op))) return passThrough(id, 0, Reason::Transpose);
    const ValueId undone = forward_[op.inputs.front()];
    forward_[op.outputs.front()] = forward_[module_.ops[module_.values[undone].producer].inputs.front()];
    return Reason::Transpose;
  }
  return Reason::Kept;
}

void SimplifyPlan::decideInOrder() {
  // Ascending ids are an order of execution, so operands are resolved before their users.
  for (const OpId id : module_.ops.ids()) {
    if (module_.ops[id].state != OpState::Live) continue;
    host_.evaluate(module_.ops[id]);
    reasons_[id] = decide(id);
  }
}

/// Folds shape arithmetic whose result is computed on the device unless all its uses are shapes.
void SimplifyPlan::foldShapeOnlyValues() {
  IdVector<ValueId, bool> neededAsData(module_.values.size(), false);
  for (const ir::Graph& graph : module_.graphs)
    for (const ValueId output : graph.outputs) neededAsData[output] = true;
  // Users before producers.
  for (size_t index = module_.ops.size(); index-- > 0;) {
    const OpId id(index);
    const Op& op = module_.ops[id];
    if (op.state != OpState::Live || makesConstants(id)) continue;
    const bool needed = std::any_of(op.outputs.begin(), op.outputs.end(),
                                    [&](ValueId output) { return output != kNone && neededAsData[output]; });
    if (reasons_[id] == Reason::Kept && hostUse(op) == HostUse::ShapeOnly && !needed) {
      reasons_[id] = Reason::ShapeArithmetic;
      continue;
    }
    for (uint32_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == kNone) continue;
      if (reasons_[id] == Reason::Kept ? !isShapeOperand(module_, op, i) : needed) neededAsData[op.inputs[i]] = true;
    }
  }
}

void SimplifyPlan::findDead() {
  if (module_.graphs.front().outputs.empty()) return;
  IdVector<OpId, bool> alive(module_.ops.size(), false);
  std::vector<OpId> pending;
  const auto need = [&](ValueId value) {
    if (value == kNone) return;
    const OpId producer = module_.values[forward_[value]].producer;
    if (producer == kNone || alive[producer] || reasons_[producer] != Reason::Kept ||
        module_.ops[producer].state != OpState::Live)
      return;
    alive[producer] = true;
    pending.push_back(producer);
  };
  for (const ValueId output : module_.graphs.front().outputs) need(output);
  while (!pending.empty()) {
    const Op& op = module_.ops[pending.back()];
    pending.pop_back();
    for (const ValueId input : op.inputs) need(input);
    for (const ir::Region& region : op.regions)
      for (const ValueId output : module_.graphs[region.graph].outputs) need(output);
  }
  for (const OpId id : module_.ops.ids())
    if (module_.ops[id].state == OpState::Live && reasons_[id] == Reason::Kept && !alive[id])
      reasons_[id] = undone_[id] ? Reason::Transpose : Reason::Dead;
}

/// Chooses the first kept operator that uses the result, else the producer of the operand.
void SimplifyPlan::findAbsorbers() {
  for (size_t index = module_.ops.size(); index-- > 0;) {
    const OpId id(index);
    const Op& op = module_.ops[id];
    if (op.state != OpState::Live || reasons_[id] == Reason::Kept || reasons_[id] == Reason::Dead || makesConstants(id))
      continue;
    OpId absorber = kNone;
    ValueId source = kNone;
    for (const ValueId output : op.outputs) {
      if (output == kNone) continue;
      source = forward_[output] == output ? forward_[op.inputs.front()] : forward_[output];
      for (const ir::OperatorGraph::Use& use : graph_.uses(output))
        absorber = std::min(absorber, reasons_[use.op] == Reason::Kept ? use.op : absorbers_[use.op]);
      // The outputs of a body are results of the operator around it.
      const auto owners = graph_.returnedBy(output);
      if (!owners.empty() && reasons_[owners.front()] == Reason::Kept) absorber = std::min(absorber, owners.front());
    }
    if (source == kNone) continue;
    const ir::Value& value = module_.values[source];
    const OpId producer = value.kind == ir::Value::Kind::Result ? value.producer : OpId(kNone);
    // A value that equals a constant is a constant. It is folded, not absorbed by its user.
    const bool constant = value.kind == ir::Value::Kind::Constant || (producer != kNone && makesConstants(producer));
    if (constant) continue;
    if (absorber == kNone && producer != kNone && reasons_[producer] == Reason::Kept) absorber = producer;
    absorbers_[id] = absorber;
  }
}

}  // namespace amdahlc::simplify
