#include "passes/trace_bind/alternatives.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/applicability.h"
#include "replay/runtimes/operator_name.h"
#include "support/sort_unique.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;
using ir::ValueId;

namespace {

/// Operators that multiply by parameters and sum.
bool multiplies(std::string_view type) {
  return type == "MatMul" || type == "Gemm" || type == "Conv" || type == "ConvTranspose";
}

/// Operators whose large constants are parameters of a layer. The framework's call has them in the same shape.
bool takesWeights(std::string_view type) { return multiplies(type) || type == "Gather"; }

/// Operators that only change the order or the type of a constant: their result is still the same weight.
bool movesData(std::string_view type) {
  return type == "Transpose" || type == "Identity" || type == "Cast" || type == "DequantizeLinear";
}

/// Views whose results are strided, so that a later view of them may copy.
bool leavesStrided(std::string_view type) {
  return type == "Transpose" || type == "Expand" || type == "Slice" || type == "Split";
}

}  // namespace

AlternativeGraph::AlternativeGraph(const ir::Module& module, const ir::OperatorGraph& operators,
                                   TargetGrouping grouping)
    : module_(module), operators_(operators), grouping_(std::move(grouping)) {
  connect();
  makeAlternatives();
  setNeeds();
  orders_.emplace(module, launches_);
}

void AlternativeGraph::connect() {
  inBranch_.assign(module_.ops.size(), false);
  LaunchGraph::Edges edges;
  const auto addProducers = [&](OpId waiting, OpId user) {
    for (const ValueId input : module_.ops[user].inputs) {
      if (input == kNone) continue;
      const ir::Value& value = module_.values[input];
      if (value.kind == ir::Value::Kind::Result && value.producer != kNone && value.producer != waiting)
        edges.emplace_back(value.producer, waiting);
    }
  };
  for (const OpId op : module_.ops.ids()) {
    addProducers(op, op);
    for (OpId parent = operators_.parent(operators_.graph(op)); parent != kNone;
         parent = operators_.parent(operators_.graph(parent))) {
      // A body reads the operands of its operator, at every level around it.
      addProducers(op, parent);
      edges.emplace_back(op, parent);
      if (module_.text(module_.ops[parent].type) == "If") inBranch_[op] = true;
    }
  }
  sortUnique(edges);
  launches_ = LaunchGraph(module_.ops.size(), std::move(edges));
}

std::vector<int64_t> AlternativeGraph::constantDims(ValueId value) const {
  for (int depth = 0; depth < 8 && value != kNone && operators_.isKnownBeforeRun(value); ++depth) {
    const ir::Value& at = module_.values[value];
    if (at.kind == ir::Value::Kind::Result && at.producer != kNone) {
      const ir::Op& producer = module_.ops[at.producer];
      if (movesData(module_.text(producer.type)) && !producer.inputs.empty() && !at.type.isStatic()) {
        value = producer.inputs[0];
        continue;
      }
    }
    if (!at.type.isStatic()) return {};
    std::vector<int64_t> dims;
    for (const ir::Dim& dim : at.type.dims) dims.push_back(dim.value);
    std::ranges::sort(dims);
    return dims;
  }
  return {};
}

void AlternativeGraph::makeAlternatives() {
  IdVector<OpId, bool> launchesAlone(module_.ops.size(), false);
  view_.resize(module_.ops.size());
  IdVector<ir::CandidateId, bool> byDefault(module_.candidates.size(), false);
  for (const OpId op : module_.ops.ids()) view_[op] = isOneOf(grouping_.views, module_, op);
  IdVector<OpId, bool> alone(module_.ops.size(), false);
  for (const ir::Kernel& kernel : grouping_.kernels) {
    if (kernel.candidate)
      byDefault[*kernel.candidate] = true;
    else
      alone[kernel.anchor()] = true;
  }
  byRule_.resize(module_.rules.rules.size());
  for (const ir::CandidateId id : module_.candidates.ids()) {
    const ir::Candidate& candidate = module_.candidates[id];
    const ir::Rule& rule = module_.rules.rules[candidate.rule];
    if (rule.noDeviceWork || !admits(id)) continue;
    Alternative alternative;
    alternative.candidate = id;
    alternative.rule = candidate.rule;
    alternative.ops = candidate.ops;
    alternative.anchor = candidate.anchor;
    alternative.inDefault = byDefault[id];
    alternative.recompute = rule.recompute;
    if (candidate.ops.size() == 1) launchesAlone[candidate.ops[0]] = true;
    alternatives_.push_back(std::move(alternative));
  }
  for (const ir::Graph& graph : module_.graphs) {
    for (const OpId op : graph.order) {
      if (view_[op] || !module_.ops[op].regions.empty() || launchesAlone[op] || operators_.isKnownBeforeRun(op))
        continue;
      Alternative alternative;
      alternative.ops = {op};
      alternative.anchor = op;
      alternative.inDefault = alone[op];
      alternatives_.push_back(std::move(alternative));
    }
  }
  std::map<std::pair<ir::RuleId, uint32_t>, bool> known;
  const auto namesSource = [&](ir::RuleId rule, OpId op) {
    const Symbol target = module_.ops[op].sourceTarget;
    const auto [entry, isNew] = known.try_emplace({rule, target.index}, false);
    if (isNew) entry->second = operatorPatterns_.isNamed(module_.rules.rules[rule], originCall(module_.text(target)));
    return entry->second;
  };
  for (AlternativeId id = 0; id < alternatives_.size(); ++id) {
    Alternative& alternative = alternatives_[id];
    describe(alternative);
    alternative.namesSource = alternative.rule != kNoRule && namesSource(alternative.rule, alternative.anchor);
    (alternative.rule == kNoRule ? withoutRule_ : byRule_[alternative.rule]).push_back(id);
  }
}

void AlternativeGraph::describe(Alternative& alternative) {
  std::vector<ValueId> others;
  for (const OpId op : alternative.ops) {
    const ir::Op& at = module_.ops[op];
    alternative.isInOneScope &= at.scope == module_.ops[alternative.anchor].scope;
    alternative.leavesStrided |= leavesStrided(module_.text(at.type));
    if (!at.inputs.empty() && at.inputs[0] != kNone)
      if (const OpId producer = operators_.producer(at.inputs[0]); producer != kNone)
        alternative.readsStrided |= leavesStrided(module_.text(module_.ops[producer].type));
    if (!view_[op]) {
      if (const auto target = module_.text(at.sourceTarget); !target.empty())
        alternative.targets.emplace_back(originOperator(target));
      alternative.typeNames.push_back(comparableName(module_.text(at.type)));
    }
    for (const ValueId input : at.inputs) {
      if (input == kNone) continue;
      if (operators_.isKnownBeforeRun(input)) {
        auto dims = constantDims(input);
        if (dims.size() >= 2 && takesWeights(module_.text(at.type))) {
          std::erase(dims, 1);
          // One of a single element would be like every scalar.
          if (!dims.empty()) alternative.weights.push_back(std::move(dims));
          alternative.multiplies |= multiplies(module_.text(at.type));
          continue;
        }
        // Exporters give biases and scales dimensions of one element, to spread them as the operator needs. Other
        // constants (masks, tables of angles, positions) may be folded results that a run computes in another shape:
        // they are no evidence.
        std::erase(dims, 1);
        if (dims.size() == 1 && ir::isFloatingPoint(module_.values[input].type.element))
          alternative.vectors.push_back(std::move(dims));
        continue;
      }
      const ir::Value& value = module_.values[input];
      const bool internal = value.producer != kNone && std::ranges::binary_search(alternative.ops, value.producer);
      if (internal) continue;
      if (const auto elements = value.type.elementCount(); elements && *elements > 1) {
        alternative.elementCounts.push_back(*elements);
        others.push_back(input);
      }
    }
  }
  std::ranges::sort(alternative.elementCounts);
  sortUnique(alternative.targets);
  sortUnique(alternative.typeNames);
  sortUnique(alternative.weights);
  sortUnique(alternative.vectors);
  sortUnique(others);
  for (const ValueId other : others) {
    std::vector<int64_t> dims;
    for (const ir::Dim& dim : module_.values[other].type.dims)
      if (dim.value != 1) dims.push_back(dim.value);
    std::ranges::sort(dims);
    if (std::ranges::binary_search(alternative.weights, dims)) alternative.likeWeights.push_back(std::move(dims));
  }
}

/// Whether it has parameters, or its result has another number of elements than each of its operands.
bool AlternativeGraph::isHeavy(OpId op) const {
  const ir::Op& at = module_.ops[op];
  if (takesWeights(module_.text(at.type))) return true;
  const auto elements = [&](ValueId value) { return module_.values[value].type.elementCount(); };
  bool resized = !at.outputs.empty() && at.outputs[0] != kNone && elements(at.outputs[0]).has_value();
  for (const ValueId input : at.inputs) {
    if (input == kNone) continue;
    if (operators_.isKnownBeforeRun(input)) {
      auto dims = constantDims(input);
      std::erase(dims, 1);
      if (!dims.empty() && ir::isFloatingPoint(module_.values[input].type.element)) return true;
    }
    if (resized) resized = elements(input).has_value() && elements(input) != elements(at.outputs[0]);
  }
  return resized;
}

void AlternativeGraph::setNeeds() {
  need_.assign(module_.ops.size(), Need::None);
  IdVector<OpId, bool> launches(module_.ops.size(), false), nothing(module_.ops.size(), false);
  for (const ir::Candidate& candidate : module_.candidates) {
    if (!grouping_.admitted[candidate.rule]) continue;
    const bool none = module_.rules.rules[candidate.rule].noDeviceWork;
    for (const OpId op : candidate.ops) (none ? nothing : launches)[op] = true;
  }
  for (const ir::Graph& graph : module_.graphs) {
    for (const OpId op : graph.order) {
      const ir::Op& at = module_.ops[op];
      if (view_[op] || !at.regions.empty() || (nothing[op] && !launches[op]) || operators_.isKnownBeforeRun(op))
        continue;
      const auto isSmallInteger = [&](ValueId value) {
        const ir::Type& type = module_.values[value].type;
        const auto elements = type.elementCount();
        const auto element = type.element;
        if (operators_.knownFrom(value) >= ir::KnownFrom::Shapes && (!type.ranked || type.dims.size() <= 1))
          return true;
        return (element == ir::ElementType::Int64 || element == ir::ElementType::Int32 ||
                element == ir::ElementType::Bool) &&
               elements && *elements <= 8;
      };
      const bool integers =
          std::ranges::all_of(at.outputs, [&](ValueId output) { return output == kNone || isSmallInteger(output); });
      if (nothing[op] || integers)
        need_[op] = Need::Unlikely;
      else if (!launches[op])
        need_[op] = Need::Unknown;
      else
        need_[op] = isHeavy(op) ? Need::Heavy : Need::Ruled;
    }
  }
  for (Alternative& alternative : alternatives_) {
    alternative.optional = std::ranges::all_of(alternative.ops, [&](OpId op) { return static_cast<bool>(view_[op]); });
  }
}

IdVector<ir::RuleId, bool> AlternativeGraph::activeRules() const {
  IdVector<ir::RuleId, bool> active(module_.rules.rules.size(), false);
  for (const ir::Candidate& candidate : module_.candidates) active[candidate.rule] = grouping_.admitted[candidate.rule];
  return active;
}

std::function<bool(std::string_view)> knownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime) {
  std::set<std::string> names;
  for (const Alternative& alternative : graph.alternatives()) {
    for (const std::string& target : alternative.targets) names.insert(runtime.comparableName(target));
    names.insert(alternative.typeNames.begin(), alternative.typeNames.end());
  }
  return [&rules = graph.module().rules.rules, &runtime, names = std::move(names), active = graph.activeRules(),
          &patterns = graph.operatorPatterns()](std::string_view name) {
    if (names.contains(runtime.comparableName(name)) || runtime.isIdentityInInference(name)) return true;
    return std::ranges::any_of(rules.ids(),
                               [&](ir::RuleId rule) { return active[rule] && patterns.isNamed(rules[rule], name); });
  };
}

}  // namespace amdahlc::binding
