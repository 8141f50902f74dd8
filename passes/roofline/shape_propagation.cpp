#include "passes/roofline/shape_propagation.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ir/known_values.h"
#include "ir/onnx_import/operator_types.h"

namespace amdahlc {

using ir::Dim;
using ir::OpId;
using ir::Type;
using ir::ValueId;

namespace {

/// The product of numbers; nullopt for other dimensions, and beyond 64 bits.
std::optional<int64_t> productOf(const std::vector<Dim>& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i)
    if (!dims[i].isNumber() || __builtin_mul_overflow(product, dims[i].value, &product)) return std::nullopt;
  return product;
}

/// Adjacent dimensions that become other ones of the same product.
struct DimGroup {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};

/// The finest grouping; nullopt if there is none.
std::optional<std::vector<DimGroup>> groupsOf(const std::vector<Dim>& from, const std::vector<Dim>& to) {
  const auto all = productOf(from, 0, from.size());
  if (!all || *all == 0 || all != productOf(to, 0, to.size())) return std::nullopt;
  std::vector<DimGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    DimGroup group{i, i + 1, j, j + 1};
    int64_t a = from[i++].value, b = to[j++].value;
    while (a != b) {
      if (a < b ? i == from.size() : j == to.size()) return std::nullopt;
      if (a < b)
        a *= from[i++].value;
      else
        b *= to[j++].value;
    }
    group.fromEnd = i;
    group.toEnd = j;
    groups.push_back(group);
  }
  // What is left over are ones.
  if (groups.empty()) return std::vector<DimGroup>{{0, from.size(), 0, to.size()}};
  groups.back().fromEnd = from.size();
  groups.back().toEnd = to.size();
  return groups;
}

/// Which dimensions of a group changed, so that their product becomes `product`: the first choice by position.
bool assignChanges(const std::vector<Dim>& to, size_t at, size_t end, int64_t product,
                   const std::set<DimChange>& changes, std::vector<Dim>& chosen) {
  if (at == end) return product == 1;
  std::vector<int64_t> options;
  for (const auto& [model, run] : changes)
    if (model == to[at].value) options.push_back(run);
  options.push_back(to[at].value);
  for (const int64_t option : options) {
    if (option == 0 || product % option != 0) continue;
    chosen[at] = Dim::of(option);
    if (assignChanges(to, at + 1, end, product / option, changes, chosen)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<Dim>> regroupedDims(const std::vector<Dim>& from, const std::vector<Dim>& to,
                                              const std::vector<Dim>& runFrom, const std::set<DimChange>& changes) {
  const auto groups = groupsOf(from, to);
  if (!groups || runFrom.size() != from.size()) return std::nullopt;
  std::vector<Dim> result = to;
  for (const auto& [fromBegin, fromEnd, toBegin, toEnd] : *groups) {
    if (std::equal(from.begin() + fromBegin, from.begin() + fromEnd, runFrom.begin() + fromBegin)) continue;
    if (fromEnd - fromBegin == 1 && toEnd - toBegin == 1) {
      result[toBegin] = runFrom[fromBegin];
      continue;
    }
    const auto product = productOf(runFrom, fromBegin, fromEnd);
    if (product && toEnd - toBegin == 1) {
      result[toBegin] = Dim::of(*product);
      continue;
    }
    std::set<DimChange> own;
    for (size_t i = fromBegin; product && i < fromEnd; ++i)
      if (runFrom[i] != from[i]) own.emplace(from[i].value, runFrom[i].value);
    // More dimensions than this in a group are no split of one.
    constexpr size_t kMostDims = 8;
    const bool isSmall = product && toEnd - toBegin <= kMostDims;
    if (isSmall && (assignChanges(to, toBegin, toEnd, *product, changes, result) ||
                    assignChanges(to, toBegin, toEnd, *product, own, result)))
      continue;
    std::fill(result.begin() + toBegin, result.begin() + toEnd, Dim{});
  }
  return result;
}

std::set<DimChange> changedDims(const ir::Module& module, const std::vector<Type>& inputs) {
  std::set<DimChange> changes;
  const auto& values = module.graphs[ir::kMainGraph].inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::vector<Dim>&model = module.values[values[i]].type.dims, &run = inputs[i].dims;
    for (size_t axis = 0; axis < std::min(model.size(), run.size()); ++axis)
      if (model[axis].isNumber() && run[axis].isNumber() && model[axis] != run[axis])
        changes.emplace(model[axis].value, run[axis].value);
  }
  return changes;
}

namespace {

/// Operators of one operand with the dimensions of the result, but for those that constants say: a constant that says
/// the extent of the operand is stale where that differs in the run.
constexpr std::string_view kKeepsExtents[] = {"Expand", "Pad", "Resize", "Slice", "Tile", "Upsample"};

class Propagation {
 public:
  Propagation(const ir::Module& module, const ir::OperatorGraph& graph, const OperandsOfReaders& operands)
      : module_(module),
        graph_(graph),
        operands_(operands),
        operators_(module),
        types_(typesOf(module)),
        changed_(module.values.size(), false),
        elements_(module, &types_),
        opsOf_(module.graphs.size()) {
    for (const OpId op : module.ops.ids()) opsOf_[module.ops[op].graph].push_back(op);
  }

  IdVector<ValueId, Type> run(const std::vector<Type>& inputs) {
    changes_ = changedDims(module_, inputs);
    const auto& values = module_.graphs[ir::kMainGraph].inputs;
    for (size_t i = 0; i < values.size(); ++i) set(values[i], inputs[i]);
    visit(ir::kMainGraph);
    return std::move(types_);
  }

 private:
  static IdVector<ValueId, Type> typesOf(const ir::Module& module) {
    IdVector<ValueId, Type> types;
    types.reserve(module.values.size());
    for (const ir::Value& value : module.values) types.push_back(value.type);
    return types;
  }

  const Type& modelType(ValueId value) const { return module_.values[value].type; }

  void set(ValueId value, Type type) {
    changed_[value] = type != modelType(value);
    types_[value] = std::move(type);
  }

  /// All operators in the order of the model, removed ones too: what `simplify` folded was computed with the shapes of
  /// the model.
  void visit(ir::GraphId graph) {
    for (const OpId op : opsOf_[graph]) visit(module_.ops[op]);
  }

  bool isChanged(ValueId value) const { return !value.isNone() && changed_[value]; }

  void visit(const ir::Op& op) {
    if (!op.regions.empty()) return visitBodies(op);
    for (const ValueId input : op.inputs)
      if (!input.isNone() && isStale(input))
        if (auto dims = fromReaders(input)) set(input, tensorLike(input, std::move(*dims)));
    if (std::ranges::none_of(op.inputs, [&](ValueId input) { return isChanged(input); })) return;
    for (const ValueId result : op.outputs)
      if (!result.isNone()) elements_.forget(result);
    std::vector<Type> types = infer(op);
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (!op.outputs[i].isNone()) settle(op.outputs[i], std::move(types[i]));
    elements_.evaluate(op);
    // Elements of shape arithmetic may differ in a type that does not.
    for (const ValueId result : op.outputs)
      if (!result.isNone() && (elements_.of(result).elements || module_.values[result].constant))
        changed_[result] = true;
  }

  std::vector<Type> infer(const ir::Op& op) {
    const std::string_view type = op.domain.empty() ? module_.text(op.type) : std::string_view();
    if (type == "Reshape" && op.inputs.size() == 2 && !isChanged(op.inputs[1]))
      if (auto dims = regroup(op)) return {tensorLike(op.outputs[0], std::move(*dims))};
    if (type == "Expand" && op.inputs.size() == 2 && !isChanged(op.inputs[1]))
      if (auto dims = expand(op)) return {tensorLike(op.outputs[0], std::move(*dims))};
    std::vector<Type> types = operators_.resultsOf(op, types_, elements_);
    const auto hasFailed = [&] {
      return !op.outputs.empty() && !op.outputs[0].isNone() && modelType(op.outputs[0]).ranked && !types[0].ranked;
    };
    if (hasFailed() && replaceStaleOperands(op, type)) types = operators_.resultsOf(op, types_, elements_);
    if (type == "Reshape" && !hasFailed() && !keepsElements(op, types[0]))
      if (auto dims = regroup(op)) types[0] = tensorLike(op.outputs[0], std::move(*dims));
    const bool keepsExtents = std::ranges::find(kKeepsExtents, type) != std::end(kKeepsExtents);
    if (keepsExtents) keepExtents(op, types[0]);
    // What constants alone say of the result is not known of this operand.
    if ((keepsExtents || type == "Reshape") && !types_[op.inputs[0]].ranked) types[0] = {};
    return types;
  }

  Type tensorLike(ValueId value, std::vector<Dim> dims) const {
    return Type::tensor(modelType(value).element, std::move(dims));
  }

  bool keepsElements(const ir::Op& op, const Type& result) const {
    const auto before = types_[op.inputs[0]].elementCount(), after = result.elementCount();
    return !before || !after || before == after;
  }

  std::optional<std::vector<Dim>> regroup(const ir::Op& op) const {
    const Type &from = modelType(op.inputs[0]), &to = modelType(op.outputs[0]), &run = types_[op.inputs[0]];
    if (!from.isStatic() || !to.isStatic() || !run.ranked) return std::nullopt;
    return regroupedDims(from.dims, to.dims, run.dims, changes_);
  }

  /// The result of an `Expand` to constants: it has the extents of its operand, but for those that it expands. One that
  /// may be a dimension of the inputs is not known.
  std::optional<std::vector<Dim>> expand(const ir::Op& op) const {
    const Type &from = modelType(op.inputs[0]), &to = modelType(op.outputs[0]), &run = types_[op.inputs[0]];
    if (!from.isStatic() || !to.isStatic() || run.dims.size() != from.dims.size() || to.dims.size() < from.dims.size())
      return std::nullopt;
    const size_t shift = to.dims.size() - from.dims.size();
    std::vector<Dim> dims = to.dims;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i >= shift && from.dims[i - shift] == to.dims[i])
        dims[i] = run.dims[i - shift];
      else if (std::ranges::any_of(changes_, [&](const DimChange& change) { return change.first == dims[i].value; }))
        dims[i] = Dim{};
    }
    return dims;
  }

  /// Where operand and result have the same extent in the model, they have in the run.
  void keepExtents(const ir::Op& op, Type& result) const {
    const std::vector<Dim>&from = modelType(op.inputs[0]).dims, &run = types_[op.inputs[0]].dims;
    const std::vector<Dim>& to = modelType(op.outputs[0]).dims;
    if (!result.ranked || result.dims.size() != to.size() || run.size() != from.size() || to.size() < from.size())
      return;
    const size_t shift = to.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i].isNumber() && from[i] == to[i + shift] && from[i] != run[i]) result.dims[i + shift] = run[i];
  }

  /// Operands that have the dimensions of the model, although another one that has these in the model differs in the
  /// run, get those of the run: a constant says them. Whether there was one.
  bool replaceStaleOperands(const ir::Op& op, std::string_view type) {
    const auto* axisAttribute = type == "Concat" ? op.attribute("axis") : nullptr;
    const auto* axis = axisAttribute ? std::get_if<int64_t>(&axisAttribute->value) : nullptr;
    const auto skipped = static_cast<size_t>(type == "MatMul" ? 2 : 0);
    bool replaced = false;
    for (const ValueId stale : op.inputs) {
      if (stale.isNone() || isChanged(stale) || !types_[stale].ranked) continue;
      for (const ValueId other : op.inputs) {
        if (!isChanged(other) || !types_[other].ranked) continue;
        // Counted from the last dimension.
        const std::vector<Dim>&model = modelType(other).dims, &run = types_[other].dims;
        std::vector<Dim> dims = types_[stale].dims;
        if (model.size() != run.size()) continue;
        for (size_t i = skipped; i < std::min(dims.size(), model.size()); ++i) {
          const auto at = static_cast<int64_t>(dims.size() - 1 - i), of = static_cast<int64_t>(model.size() - 1 - i);
          if (axis != nullptr && (*axis < 0 ? *axis + static_cast<int64_t>(dims.size()) : *axis) == at) continue;
          if (dims[at] == model[of] && model[of] != run[of] && (axis != nullptr || dims[at] != Dim::of(1)))
            dims[at] = run[of];
        }
        if (dims == types_[stale].dims) continue;
        set(stale, tensorLike(stale, std::move(dims)));
        replaced = true;
        break;
      }
    }
    return replaced;
  }

  void settle(ValueId value, Type type) {
    const Type& model = modelType(value);
    if (!model.isTensor()) return set(value, model == type ? model : Type());
    // The rank follows from the operator, whatever the dimensions are: another one is a mistake.
    if (!type.isTensor() || (model.ranked && type.ranked && type.dims.size() != model.dims.size()))
      type = Type::unranked(model.element);
    if (model.element != ir::ElementType::Undefined) type.element = model.element;
    if (!type.isStatic() && model.isStatic())
      if (auto dims = fromReaders(value)) type = tensorLike(value, std::move(*dims));
    set(value, std::move(type));
  }

  /// Of a value that is known without the run: whether no call that reads it had an operand of its dimensions, in any
  /// order.
  bool isStale(ValueId value) const {
    const Type& model = modelType(value);
    const bool isWeight = model.dims.size() == 2 && ir::isFloatingPoint(model.element);
    if (changes_.empty() || !operands_ || changed_[value] || !graph_.isKnownBeforeRun(value) || !model.isStatic() ||
        isWeight)
      return false;
    const std::vector<std::vector<int64_t>> operands = operands_(value);
    return std::ranges::none_of(operands, [&](const std::vector<int64_t>& dims) {
      return std::ranges::is_permutation(dims, model.dims, {}, {}, &Dim::value);
    });
  }

  /// What calls had as an operand: the only one of the rank whose dimensions are those of the model, or what became of
  /// them in the inputs.
  std::optional<std::vector<Dim>> fromReaders(ValueId value) const {
    if (!operands_) return std::nullopt;
    const std::vector<Dim>& model = modelType(value).dims;
    std::set<std::vector<int64_t>> found;
    for (const std::vector<int64_t>& dims : operands_(value)) {
      bool fits = dims.size() == model.size();
      for (size_t i = 0; fits && i < dims.size(); ++i)
        fits = dims[i] == model[i].value || changes_.contains({model[i].value, dims[i]});
      if (fits) found.insert(dims);
    }
    if (found.size() != 1) return std::nullopt;
    std::vector<Dim> dims;
    for (const int64_t dim : *found.begin()) dims.push_back(Dim::of(dim));
    return dims;
  }

  void setIfChanged(ValueId value, const Type& type, bool isSourceChanged) {
    if (!value.isNone() && isSourceChanged) set(value, type);
  }

  /// Loops hand their operands to their body, and everything may read values around it.
  void visitBodies(const ir::Op& op) {
    const std::string_view type = module_.text(op.type);
    const bool isLoop = type == "Loop", isScan = type == "Scan";
    const auto* scanned = op.attribute("num_scan_inputs");
    const auto* count = scanned ? std::get_if<int64_t>(&scanned->value) : nullptr;
    const size_t states =
        isScan && count != nullptr ? op.inputs.size() - std::min<size_t>(*count, op.inputs.size()) : op.inputs.size();
    bool isAnyChanged = std::ranges::any_of(op.inputs, [&](ValueId input) { return isChanged(input); });
    for (const ir::Region& region : op.regions) {
      const ir::Graph& body = module_.graphs[region.graph];
      for (size_t i = 0; (isLoop || isScan) && i < std::min(body.inputs.size(), op.inputs.size()); ++i) {
        const ValueId source = op.inputs[i];
        if (!isChanged(source)) continue;
        // A slice of what is scanned is not known without its axis.
        setIfChanged(body.inputs[i], i < states ? types_[source] : Type::unranked(modelType(source).element), true);
      }
      visit(region.graph);
      isAnyChanged |= std::ranges::any_of(body.outputs, [&](ValueId output) { return isChanged(output); });
    }
    if (!isAnyChanged) return;
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (!op.outputs[i].isNone()) settle(op.outputs[i], resultOfBodies(op, i, isLoop ? 1 : 0, !isLoop && !isScan));
  }

  /// The type that every body returns, if it is what a loop began with.
  Type resultOfBodies(const ir::Op& op, size_t result, size_t conditions, bool isBranch) const {
    std::optional<Type> common;
    for (const ir::Region& region : op.regions) {
      const ir::Graph& body = module_.graphs[region.graph];
      const size_t at = result + conditions;
      if (at >= body.outputs.size() || body.outputs[at].isNone()) return {};
      const Type& type = types_[body.outputs[at]];
      const size_t operand = result + 2 * conditions;
      const bool isState = operand < op.inputs.size() && operand < body.inputs.size();
      if (!isBranch && (!isState || types_[body.inputs[operand]] != type)) return {};
      if (common && *common != type) return {};
      common = type;
    }
    return common.value_or(Type());
  }

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const OperandsOfReaders& operands_;
  const ir::OperatorTypes operators_;
  IdVector<ValueId, Type> types_;
  IdVector<ValueId, bool> changed_;
  ir::HostValues elements_;
  IdVector<ir::GraphId, std::vector<OpId>> opsOf_;
  std::set<DimChange> changes_;
};

}  // namespace

IdVector<ValueId, Type> propagateShapes(const ir::Module& module, const ir::OperatorGraph& graph,
                                        const std::vector<Type>& inputs, const OperandsOfReaders& operands) {
  return Propagation(module, graph, operands).run(inputs);
}

}  // namespace amdahlc
