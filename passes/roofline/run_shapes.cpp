#include "passes/roofline/run_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/kernel_accesses.h"
#include "ir/operator_graph.h"
#include "passes/roofline/operands_of_calls.h"
#include "passes/roofline/shape_propagation.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc {

using ir::Dim;
using ir::ElementType;
using ir::KernelId;
using ir::OpId;
using ir::Type;
using ir::ValueId;

namespace {

using Types = IdVector<ValueId, Type>;

/// How far shapes agree with the operands of calls.
struct Agreement {
  int64_t kernels = 0;
  IdVector<KernelId, bool> contradicts;
  int64_t contradictions = 0;
  bool contradictsInput = false;

  /// A few calls may have other operands than the model says: a framework pads, or copies a part.
  bool isGood() const { return kernels > 0 && !contradictsInput && kernels * 10 >= (kernels + contradictions) * 7; }
};

/// Finds the types of the inputs of a model in one run, and those of all values.
class ShapeSolver {
 public:
  ShapeSolver(const ir::Module& module, const ir::Cover& cover, const ir::OperatorGraph& graph,
              const ir::KernelAccesses& accesses, const OperandsOfCalls& operands)
      : module_(module),
        cover_(cover),
        bound_(*cover.facets.get<ir::BoundFacet>()),
        graph_(graph),
        accesses_(accesses),
        operands_(operands),
        inputs_(module.graphs[ir::kMainGraph].inputs),
        isInput_(namesOf(inputs_)) {}

  void run() {
    if (!operands_.any()) return;
    bool isStatic = true, isNumeric = true;
    for (const ValueId input : inputs_) {
      const Type& type = module_.values[input].type;
      isStatic &= !type.isTensor() || type.isStatic();
      isNumeric &=
          !type.isTensor() || std::ranges::none_of(type.dims, [](const Dim& dim) { return !dim.symbol.empty(); });
    }
    if (isStatic && agreement(nullptr).isGood()) {
      source_ = ShapeSource::Run;
      return;
    }
    // Symbols of the model tell more than others: they hold everywhere. But its numbers may not.
    if (!isNumeric && solve(nullptr)) return;
    const Types symbolic = propagateShapes(module_, graph_, symbolicInputs());
    if (solve(&symbolic) || types_ || source_ == ShapeSource::Run) return;
    // Nothing could be solved, so that only what agrees is known.
    const Agreement found = agreement(nullptr);
    if (found.contradictions == 0) return;
    types_.emplace();
    for (const ir::Value& value : module_.values) types_->push_back(value.type);
    forgetContradicted(found);
    source_ = ShapeSource::Mixed;
  }

  ShapeSource source() const { return source_; }
  std::optional<Types> types() && { return std::move(types_); }

 private:
  const Type& typeOf(const Types* types, ValueId value) const {
    return types != nullptr ? (*types)[value] : module_.values[value].type;
  }

  bool hasRun(KernelId kernel) const { return !bound_.kernels[kernel].events.empty(); }

  /// These values, and those that kernels without events make of them.
  IdVector<ValueId, bool> namesOf(const std::vector<ValueId>& values) const {
    IdVector<ValueId, bool> names(module_.values.size(), false);
    for (const ValueId value : values) names[value] = true;
    const ir::KernelHolders holders(module_, cover_.kernels);
    for (const OpId op : graph_.order()) {
      const bool isName =
          std::ranges::any_of(graph_.inputs(op), [&](ValueId value) { return !value.isNone() && names[value]; });
      if (!isName || std::ranges::any_of(holders.of(op), [&](KernelId kernel) { return hasRun(kernel); })) continue;
      for (const ValueId value : graph_.outputs(op))
        if (!value.isNone()) names[value] = true;
    }
    return names;
  }

  /// Values that the kernel reads and the run computes.
  template <typename Visit>
  void forEachOperand(KernelId kernel, const Visit& visit) const {
    for (const ValueId value : accesses_.reads(kernel))
      if (!graph_.isKnownBeforeRun(value)) visit(value);
  }

  /// Whether an operand of the kernel's calls, other than a weight, has so many elements.
  bool hasElements(KernelId kernel, int64_t count) const {
    const auto weights = weightsOf(kernel);
    return std::ranges::any_of(operands_.of(kernel), [&](const std::vector<int64_t>& dims) {
      return OperandsOfCalls::elementsOf(dims) == count && !weights.contains(sorted(dims));
    });
  }

  /// Compares the largest operand of each kernel with those of its calls.
  Agreement agreement(const Types* types) const {
    Agreement found;
    found.contradicts.resize(cover_.kernels.size(), false);
    for (const KernelId kernel : cover_.kernels.ids()) {
      if (operands_.of(kernel).empty()) continue;
      int64_t largest = 1;
      bool readsInput = false;
      forEachOperand(kernel, [&](ValueId value) {
        largest = std::max(largest, typeOf(types, value).elementCount().value_or(0));
        readsInput |= isInput_[value];
      });
      if (largest == 1) continue;
      const bool agrees = hasElements(kernel, largest);
      found.kernels += agrees;
      found.contradictions += !agrees;
      found.contradicts[kernel] = !agrees;
      found.contradictsInput |= !agrees && readsInput;
    }
    return found;
  }

  /// A symbol for each dimension of an input.
  static std::string symbolFor(size_t input, size_t axis) { return fmt::format("{}.{}", input, axis); }

  std::vector<Type> symbolicInputs() const {
    std::vector<Type> types;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Type& type = types.emplace_back(module_.values[inputs_[i]].type);
      for (size_t axis = 0; axis < type.dims.size(); ++axis)
        if (type.dims[axis].symbol.empty()) type.dims[axis] = Dim::named(symbolFor(i, axis));
    }
    return types;
  }

  /// Whether the dimensions can be those; what the symbols then are.
  static std::optional<std::map<std::string, int64_t>> unify(const std::vector<Dim>& symbolic,
                                                             const std::vector<int64_t>& dims) {
    std::map<std::string, int64_t> symbols;
    if (dims.size() != symbolic.size()) return std::nullopt;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (symbolic[i].isNumber() && symbolic[i].value != dims[i]) return std::nullopt;
      if (symbolic[i].symbol.empty()) continue;
      if (symbols.emplace(symbolic[i].symbol, dims[i]).first->second != dims[i]) return std::nullopt;
    }
    return symbols;
  }

  static std::vector<int64_t> sorted(std::vector<int64_t> dims) {
    std::ranges::sort(dims);
    return dims;
  }

  /// The dimensions of weights that the kernel reads, sorted: a framework may transpose them.
  std::set<std::vector<int64_t>> weightsOf(KernelId kernel) const {
    std::set<std::vector<int64_t>> weights;
    for (const ValueId value : accesses_.reads(kernel)) {
      const Type& type = module_.values[value].type;
      if (!graph_.isKnownBeforeRun(value) || !type.isStatic()) continue;
      std::vector<int64_t> dims;
      for (const Dim& dim : type.dims) dims.push_back(dim.value);
      weights.insert(sorted(std::move(dims)));
    }
    return weights;
  }

  /// What the operands of a kernel tell of the symbols in the shape of a value that it reads: those of the operand that
  /// has most in common with the shape in the model. None if several have.
  std::map<std::string, int64_t> symbolsFrom(const std::set<std::vector<int64_t>>& operands, ValueId value,
                                             const Type& symbolic,
                                             const std::set<std::vector<int64_t>>& weights) const {
    const std::vector<Dim>& model = module_.values[value].type.dims;
    std::map<std::string, int64_t> best;
    int64_t most = -1;
    for (const std::vector<int64_t>& dims : operands) {
      if (weights.contains(sorted(dims))) continue;
      const auto symbols = unify(symbolic.dims, dims);
      if (!symbols) continue;
      int64_t common = 0;
      for (size_t i = 0; i < std::min(model.size(), dims.size()); ++i) common += model[i].value == dims[i];
      if (common == most && *symbols != best) best.clear();
      if (common <= most) continue;
      most = common;
      best = *symbols;
    }
    return best;
  }

  /// By symbol, what most kernels say; none where they do not agree.
  std::map<std::string, int64_t> solveSymbols(const Types* symbolic) const {
    std::map<std::string, std::map<int64_t, int64_t>> votes;
    for (const KernelId kernel : cover_.kernels.ids()) {
      if (operands_.of(kernel).empty()) continue;
      const auto weights = weightsOf(kernel);
      forEachOperand(kernel, [&](ValueId value) {
        const Type& type = typeOf(symbolic, value);
        auto found = symbolsFrom(operands_.ofCalls(kernel), value, type, weights);
        if (found.empty()) found = symbolsFrom(operands_.of(kernel), value, type, weights);
        for (const auto& [symbol, number] : found) ++votes[symbol][number];
      });
    }
    std::map<std::string, int64_t> solved;
    for (const auto& [symbol, numbers] : votes) {
      const auto most = std::ranges::max_element(numbers, {}, [](const auto& vote) { return vote.second; });
      if (std::ranges::count(numbers, most->second, [](const auto& vote) { return vote.second; }) == 1)
        solved.emplace(symbol, most->first);
    }
    return solved;
  }

  /// Whether some kernel that ran works on the input, or on another name of it.
  bool isNeeded(ValueId input) const {
    const IdVector<ValueId, bool> names = namesOf({input});
    return std::ranges::any_of(cover_.kernels.ids(), [&](KernelId kernel) {
      return hasRun(kernel) && std::ranges::any_of(accesses_.reads(kernel), [&](ValueId read) { return names[read]; });
    });
  }

  /// Solves the inputs, infers all shapes and tests them. Whether they are good.
  bool solve(const Types* symbolic) {
    const std::map<std::string, int64_t> symbols = solveSymbols(symbolic);
    if (symbols.empty()) return false;
    std::vector<Type> inputs;
    for (const ValueId input : inputs_) inputs.push_back(module_.values[input].type);
    const auto numberOf = [&](size_t i, size_t axis) {
      const std::string& symbol = typeOf(symbolic, inputs_[i]).dims[axis].symbol;
      const auto found = symbols.find(symbol);
      return found == symbols.end() ? std::nullopt : std::optional(found->second);
    };
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t axis = 0; axis < inputs[i].dims.size(); ++axis)
        if (const auto number = numberOf(i, axis)) inputs[i].dims[axis] = Dim::of(*number);
    const auto isSolved = [&](size_t i) {
      for (size_t axis = 0; axis < inputs[i].dims.size(); ++axis)
        if (!numberOf(i, axis)) return false;
      return true;
    };
    const auto modelDims = [&](size_t i) -> const std::vector<Dim>& { return module_.values[inputs_[i]].type.dims; };
    const std::set<DimChange> changes = changedDims(module_, inputs);
    bool isWhole = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      // An input that no call shows, such as a mask, has the dimensions of one that has the same in the model.
      size_t like = 0;
      while (like < inputs.size() && !(isSolved(like) && modelDims(like) == modelDims(i))) ++like;
      if (like < inputs.size()) {
        inputs[i].dims = inputs[like].dims;
        continue;
      }
      for (size_t axis = 0; axis < inputs[i].dims.size(); ++axis) {
        Dim& dim = inputs[i].dims[axis];
        if (numberOf(i, axis)) continue;
        const bool isOther =
            dim.isNumber() && std::ranges::any_of(changes, [&](auto& change) { return change.first == dim.value; });
        if (isOther) dim = Dim{};
        if (!dim.isNumber()) isWhole &= !isNeeded(inputs_[i]);
      }
    }
    return infer(inputs, isWhole);
  }

  bool infer(const std::vector<Type>& inputs, bool isWhole) {
    std::map<ValueId, std::vector<KernelId>> readers;
    for (const KernelId kernel : cover_.kernels.ids())
      if (!operands_.of(kernel).empty())
        for (const ValueId value : accesses_.reads(kernel)) readers[value].push_back(kernel);
    Types types = propagateShapes(module_, graph_, inputs, [&](ValueId value) {
      std::vector<std::vector<int64_t>> dims;
      if (const auto found = readers.find(value); found != readers.end())
        for (const KernelId kernel : found->second)
          dims.insert(dims.end(), operands_.of(kernel).begin(), operands_.of(kernel).end());
      return dims;
    });
    bool isSame = true;
    for (const ValueId value : module_.values.ids()) isSame &= types[value] == module_.values[value].type;
    const Agreement found = agreement(&types);
    types_ = isSame ? std::nullopt : std::optional(std::move(types));
    if (!isSame) forgetContradicted(found);
    // The last try counts, whether it is good or not: what contradicts the calls is unknown then.
    source_ = isWhole && (isSame || !losesShapes()) ? ShapeSource::Run : ShapeSource::Mixed;
    return found.isGood();
  }

  /// Of kernels whose calls have other operands, those that the calls have not, and what the kernels make of them.
  void forgetContradicted(const Agreement& found) {
    const auto forget = [&](ValueId value) { (*types_)[value] = Type::unranked(module_.values[value].type.element); };
    for (const KernelId kernel : cover_.kernels.ids()) {
      if (!found.contradicts[kernel]) continue;
      forEachOperand(kernel, [&](ValueId value) {
        const auto count = (*types_)[value].elementCount();
        if (count && *count > 1 && !hasElements(kernel, *count)) forget(value);
      });
      for (const ValueId value : accesses_.writes(kernel)) forget(value);
    }
  }

  /// Whether a kernel that ran has a shape in the model and none in the run.
  bool losesShapes() const {
    for (const KernelId kernel : cover_.kernels.ids()) {
      if (!hasRun(kernel)) continue;
      for (const auto values : {accesses_.reads(kernel), accesses_.writes(kernel)})
        for (const ValueId value : values)
          if (module_.values[value].type.isStatic() && !(*types_)[value].isStatic()) return true;
    }
    return false;
  }

  const ir::Module& module_;
  const ir::Cover& cover_;
  const ir::BoundFacet& bound_;
  const ir::OperatorGraph& graph_;
  const ir::KernelAccesses& accesses_;
  const OperandsOfCalls& operands_;
  const std::vector<ValueId>& inputs_;
  /// Names of inputs.
  const IdVector<ValueId, bool> isInput_;
  ShapeSource source_ = ShapeSource::Model;
  std::optional<Types> types_;
};

/// The type in which most of the time of a kernel computes; empty if the trace does not tell.
std::string_view computedType(const Timeline& timeline, const ir::KernelBinding& kernel) {
  std::map<std::string_view, int64_t> times;
  for (const ir::BoundEvent& bound : kernel.events)
    if (const std::string_view type = computedType(timeline, bound.event); !type.empty())
      times[type] += timeline.durationNs[bound.event];
  if (times.empty()) return {};
  return std::ranges::max_element(times, {}, [](const auto& time) { return time.second; })->first;
}

/// The types of floating-point operands and results of a kernel.
std::set<ElementType> floatingTypes(const ir::Module& module, const ir::Kernel& kernel) {
  std::set<ElementType> types;
  for (const OpId op : kernel.ops)
    for (const std::vector<ValueId>* values : {&module.ops[op].inputs, &module.ops[op].outputs})
      for (const ValueId value : *values)
        if (!value.isNone() && ir::isFloatingPoint(module.values[value].type.element))
          types.insert(module.values[value].type.element);
  return types;
}

/// The element types of values where kernels compute in other types than the model.
class TypeSolver {
 public:
  TypeSolver(const ir::Module& module, const ir::Cover& cover, const ir::OperatorGraph& graph, const Timeline& timeline)
      : module_(module), graph_(graph) {
    const auto& bound = *cover.facets.get<ir::BoundFacet>();
    computes.resize(module.ops.size(), ElementType::Undefined);
    known_.resize(module.ops.size(), ElementType::Undefined);
    for (const ValueId value : module.values.ids()) elements.push_back(module.values[value].type.element);
    for (const ir::Kernel& kernel : cover.kernels) {
      const auto run = ir::elementTypeFromName(computedType(timeline, bound.kernels[kernel.id]));
      if (!run) continue;
      const std::set<ElementType> model = floatingTypes(module, kernel);
      // A kernel of several types converts between them; the type of a call is one of them.
      const bool isOther = model.size() == 1 && !model.contains(*run);
      for (const OpId op : kernel.ops) {
        if (ir::isFloatingPoint(*run))
          known_[op] = isOther ? *run : model.empty() ? ElementType::Undefined : *model.begin();
        if (!isOther) continue;
        areOther = true;
        computes[op] = *run;
        readWeights(op, *run);
      }
    }
    if (areOther) propagate();
  }

  bool areOther = false;
  IdVector<OpId, ElementType> computes;
  IdVector<ValueId, ElementType> elements;

 private:
  /// Weights are stored in the type of the call that reads them; packed ones are matrices, and no biases.
  void readWeights(OpId op, ElementType run) {
    for (const ValueId value : module_.ops[op].inputs) {
      if (value.isNone() || !graph_.isConstant(value)) continue;
      const Type& type = module_.values[value].type;
      if (ir::isFloatingPoint(type.element) && (ir::isFloatingPoint(run) || type.dims.size() > 1))
        elements[value] = run;
    }
  }

  /// A result has the type of the call that makes it; without a call, that of an operand with its type in the model.
  void propagate() {
    for (const OpId op : graph_.order()) {
      for (const ValueId result : graph_.outputs(op)) {
        if (result.isNone() || !ir::isFloatingPoint(elements[result])) continue;
        const ElementType model = module_.values[result].type.element;
        if (known_[op] != ElementType::Undefined) {
          elements[result] = known_[op];
          continue;
        }
        for (const ValueId operand : graph_.inputs(op))
          if (!operand.isNone() && !graph_.isConstant(operand) && module_.values[operand].type.element == model) {
            elements[result] = elements[operand];
            break;
          }
      }
    }
  }

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  /// By operator the type that its call says; Undefined if none does.
  IdVector<OpId, ElementType> known_;
};

}  // namespace

std::string_view computedType(const Timeline& timeline, EventIndex event) {
  const HostEventId op = timeline.host->launchOp[event];
  if (op.isNone()) return {};
  const OperatorFacts* facts = timeline.host->operatorFactsOf(op);
  return runtimeAdapter(timeline.target.runtime)
      .computedType(timeline.text(timeline.host->name[op]),
                    facts ? std::span(facts->inputTypes) : std::span<const std::string>());
}

RunShapes::RunShapes(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) : module_(&module) {
  const ir::Cover& cover = module.cover(id);
  const Timeline* timeline = cover.traceLabel.empty() ? nullptr : module.findTimeline(cover.traceLabel);
  if (timeline == nullptr || !timeline->host || cover.facets.get<ir::BoundFacet>() == nullptr) return;
  const auto& graph = analyses.get<ir::OperatorGraph>();
  const OperandsOfCalls operands(*timeline, cover);
  ShapeSolver solver(module, cover, graph, analyses.get<ir::KernelAccesses>(id), operands);
  solver.run();
  source_ = solver.source();
  types_ = std::move(solver).types();
  TypeSolver types(module, cover, graph, *timeline);
  if (!types.areOther) return;
  computes_ = std::move(types.computes);
  if (!types_) {
    types_.emplace();
    for (const ir::Value& value : module.values) types_->push_back(value.type);
  }
  for (const ValueId value : module.values.ids())
    if ((*types_)[value].isTensor()) (*types_)[value].element = types.elements[value];
}

Amount RunShapes::bytes(ValueId id) const {
  const ir::Value& value = module_->values[id];
  const Type& known = type(id);
  const auto bytes = known == value.type ? value.bytes() : known.byteSize();
  if (bytes) return Amount(*bytes);
  const bool hasSize = known.kind == Type::Kind::Tensor && known.isStatic();
  return hasSize && ir::bitWidth(known.element) != 0 ? Amount::tooLarge() : Amount::unknown();
}

std::vector<ValueId> RunShapes::otherInputs() const {
  std::vector<ValueId> others;
  for (const ValueId input : module_->graphs[ir::kMainGraph].inputs) {
    const std::vector<Dim>&model = module_->values[input].type.dims, &run = type(input).dims;
    for (size_t axis = 0; axis < std::min(model.size(), run.size()); ++axis)
      if (model[axis].isNumber() && model[axis] != run[axis]) {
        others.push_back(input);
        break;
      }
  }
  return others;
}

}  // namespace amdahlc
