#include "passes/trace_bind/call_kinds.h"

#include <algorithm>

#include "replay/runtimes/collectives.h"
#include "replay/runtimes/operator_name.h"

namespace amdahlc::binding {

int64_t elementsOf(const std::vector<int64_t>& dims) {
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && elements > INT64_MAX / dim)) return -1;
    elements *= dim;
  }
  return elements;
}

std::vector<int64_t> tellingDims(std::vector<int64_t> dims) {
  std::erase(dims, 1);
  std::ranges::sort(dims);
  return dims;
}

CallKinds::CallKinds(ObservedRun& run) : run_(run), moved_(run), stated_(run.graph.module().ops.size(), false) {
  for (const ir::OperatorName& view : run.graph.grouping().views) viewTypes_.insert(comparableName(view.type));
  findKinds();
  for (const CallFeatures& call : features_)
    if (call.node != ir::kNone) stated_[call.node] = true;
  compareShapes();
}

void CallKinds::findKinds() {
  const Launches& launches = run_.launches;
  std::map<std::vector<int64_t>, uint32_t> known;
  std::map<std::string_view, int64_t> classes;
  SymbolMemo<int64_t> classOf(launches.timeline().strings);
  kinds_.resize(launches.iterations().size());
  for (size_t iteration = 0; iteration < kinds_.size(); ++iteration) {
    const auto calls = launches.calls(iteration);
    for (size_t i = 0; i < calls.size(); ++i) {
      std::vector<int64_t> key = keyOf(iteration, i);
      const auto instance = launches.instanceOf(calls[i]);
      key.push_back(!instance ? -1 : classOf.of(*instance, [&](std::string_view text) {
        const std::string_view name = launches.runtime().moduleClass(launches.runtime().moduleInstance(text));
        return classes.try_emplace(name, static_cast<int64_t>(classes.size())).first->second;
      }));
      const auto [entry, isNew] = known.try_emplace(std::move(key), static_cast<uint32_t>(features_.size()));
      if (isNew) {
        features_.push_back(describe(iteration, i));
        fitRules(iteration, i, features_.back());
      }
      kinds_[iteration].push_back(entry->second);
    }
  }
}

/// All that tells the features of calls apart, but the class of the module.
std::vector<int64_t> CallKinds::keyOf(size_t iteration, size_t index) const {
  const Launches& launches = run_.launches;
  const Call& call = launches.calls(iteration)[index];
  const auto own = launches.launches(iteration, call);
  std::vector<int64_t> key{call.spill};
  if (const ir::OpId node = nodeOf(own); !node.isNone()) key.insert(key.end(), {-5, node.index()});
  if (const auto& movement = movementOf(iteration, index); !movement.nodes.empty()) {
    key.insert(key.end(), {-6, movement.as});
    for (const ir::OpId node : movement.nodes) key.push_back(node.index());
  }
  for (const Launch& launch : own) {
    key.insert(key.end(), {-2, launch.signature});
    for (const HostEventId op : launch.calls) {
      const OperatorFacts* facts = launches.host().operatorFactsOf(op);
      if (!facts) continue;
      for (const auto& dims : facts->inputDims) {
        key.push_back(-3);
        key.insert(key.end(), dims.begin(), dims.end());
      }
    }
  }
  // What follows the call matters only to the rules that describe launches of several calls.
  std::set<ir::RuleId> fitted;
  for (const Launch& launch : own)
    for (const ir::RuleId rule : run_.rules.startable(launch.signature)) {
      if (!run_.rules.mayTakeLaterCalls(rule, launch) || !fitted.insert(rule).second) continue;
      const RuleFit found = run_.rules.fit(rule, iteration, index);
      key.insert(key.end(), {-4, rule.index(), static_cast<int64_t>(found.fit), found.top, found.calls});
    }
  return key;
}

/// The node that the operators of all launches of a call state.
ir::OpId CallKinds::nodeOf(std::span<const Launch> launches) const {
  ir::OpId node;
  for (const Launch& launch : launches) {
    const ir::OpId at = run_.stated.of(launch.event);
    if (at == ir::kNone || (!node.isNone() && at != node)) return ir::kNone;
    node = at;
  }
  return node;
}

const MovedNodes::Movement& CallKinds::movementOf(size_t iteration, size_t index) const {
  static const MovedNodes::Movement kNone;
  const auto movements = moved_.of(iteration);
  return movements.empty() ? kNone : movements[index];
}

CallFeatures CallKinds::describe(size_t iteration, size_t index) const {
  const Launches& launches = run_.launches;
  const Call& call = launches.calls(iteration)[index];
  const auto own = launches.launches(iteration, call);
  CallFeatures features;
  features.spill = call.spill;
  features.movesData = features.readsScalar = true;
  if (own.size() == 1) features.operatorList = launches.runtime().operatorList(launches.kernelName(own[0]));
  features.node = nodeOf(own);
  features.convertsLayout = features.node.isNone();
  for (const Launch& launch : own) describe(launch, features);
  const MovedNodes::Movement& movement = movementOf(iteration, index);
  features.moved = movement.nodes;
  features.movedAs = movement.as;
  features.isView = !features.names.empty() && viewTypes_.contains(features.names.front());
  if (const auto instance = launches.instanceOf(call))
    features.moduleClass = launches.runtime().replacedClass(
        launches.runtime().moduleClass(launches.runtime().moduleInstance(launches.timeline().text(*instance))));
  return features;
}

/// Adds what is known of one of its launches.
void CallKinds::describe(const Launch& launch, CallFeatures& features) const {
  const Launches& launches = run_.launches;
  const Timeline& timeline = launches.timeline();
  const RuntimeAdapter& runtime = launches.runtime();
  const auto& operators = launches.signature(launch).operators;
  features.isBesideModel |= isCommunicationKernel(launches.kernelName(launch));
  features.readsScalar &= !operators.empty();
  features.convertsLayout &= !operators.empty();
  if (operators.empty()) features.movesData &= launches.signature(launch).kind != EventKind::Kernel;
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
    const std::string_view text = timeline.text(*op);
    std::string name = runtime.comparableName(text);
    if (std::ranges::find(features.names, name) == features.names.end()) features.names.push_back(std::move(name));
    features.movesData &= runtime.role(text, true) != OperatorRole::Work;
    features.readsScalar &= runtime.role(text, false) == OperatorRole::NoWork;
    features.packsWeights |= runtime.takesPackedWeights(text);
  }
  if (!operators.empty()) {
    const std::string_view innermost = timeline.text(operators.front()), outermost = timeline.text(operators.back());
    features.convertsLayout &= runtime.isLayoutConversion(innermost, timeline.statedNode(launch.event));
    features.createsConstant |= runtime.createsConstant(outermost);
    features.isBesideModel |= runtime.isBesideModel(outermost);
    features.onlyInTraining |= runtime.isIdentityInInference(outermost);
  }
  for (const HostEventId op : launch.calls) {
    const OperatorFacts* facts = launches.host().operatorFactsOf(op);
    if (!facts) continue;
    std::map<std::vector<int64_t>, size_t> own;
    for (const auto& dims : facts->inputDims) {
      if (dims.empty()) continue;
      ++own[tellingDims(dims)];
      features.elements.insert(elementsOf(dims));
    }
    for (const auto& [dims, count] : own) features.dims[dims] = std::max(features.dims[dims], count);
  }
}

/// Which rules fit the launches of a call.
void CallKinds::fitRules(size_t iteration, size_t index, CallFeatures& features) const {
  // No node stands for a copy to the host.
  if (features.spill || features.readsScalar) return;
  const Call& call = run_.launches.calls(iteration)[index];
  Fit strongest = Fit::Any;
  for (const Launch& launch : run_.launches.launches(iteration, call)) {
    for (const ir::RuleId rule : run_.rules.startable(launch.signature)) {
      const auto [entry, isNew] = features.fits.try_emplace(rule);
      if (!isNew) continue;
      entry->second = run_.rules.fit(rule, iteration, index);
      if (entry->second.fit <= strongest) continue;
      strongest = entry->second.fit;
      features.bestRule = rule;
    }
  }
}

void CallKinds::compareShapes() {
  std::set<std::vector<int64_t>> weights, recorded;
  std::set<int64_t> activations;
  for (const Alternative& alternative : run_.graph.alternatives()) {
    weights.insert(alternative.weights.begin(), alternative.weights.end());
    // Generated code does not record what it reads.
    if (alternative.multiplies || !run_.launches.hasGeneratedCode())
      recorded.insert(alternative.weights.begin(), alternative.weights.end());
    activations.insert(alternative.elementCounts.begin(), alternative.elementCounts.end());
  }
  std::set<std::vector<int64_t>> seen;
  size_t operands = 0, known = 0;
  bool arePacked = false;
  for (CallFeatures& call : features_) {
    arePacked |= call.packsWeights;
    for (const auto& [dims, count] : call.dims)
      if (weights.contains(dims)) {
        if (recorded.contains(dims)) seen.insert(dims);
        call.hasWeight = true;
      }
    if (call.elements.empty()) continue;
    ++operands;
    known += std::ranges::any_of(call.elements,
                                 [&](int64_t elements) { return elements > 1 && activations.contains(elements); });
  }
  if (!recorded.empty() && operands > 0 && !arePacked)
    compared_.weightsSeen = static_cast<double>(seen.size()) / static_cast<double>(recorded.size());
  compared_.weights = !recorded.empty() && seen.size() * 2 >= recorded.size();
  compared_.elements = operands > 0 && known * 10 >= operands * 7;
}

}  // namespace amdahlc::binding
