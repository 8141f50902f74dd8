#include "ir/program_import/program_import.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/known_values.h"
#include "ir/onnx_import/operator_types.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/program_import/call_lowering.h"
#include "ir/program_import/merged_program.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/kernel_name.h"
#include "runs/kernel_families/kernel_families.h"
#include "support/common_subsequence.h"
#include "support/sort_unique.h"

namespace amdahlc::ir {

namespace {

constexpr size_t kShortNameWidth = 64;

/// The category of a kernel without a rule, in the words of the shipped rules.
std::string_view categoryOf(KernelFamily family) {
  switch (family) {
    case KernelFamily::Gemm:
    case KernelFamily::Gemv:
    case KernelFamily::SplitK:
      return "gemm";
    case KernelFamily::EmbeddingForward:
    case KernelFamily::EmbeddingBackward:
      return "embedding";
    case KernelFamily::Permute:
      return "layout";
    case KernelFamily::Reduce:
      return "reduction";
    case KernelFamily::Concat:
      return "copy";
    case KernelFamily::Index:
      return "indexing";
    case KernelFamily::Set:
      return "fill";
    case KernelFamily::Collective:
      return "communication";
    default:
      return name(family);
  }
}

/// What a run tells of its nodes.
class RunFacts {
 public:
  RunFacts(const Timeline& timeline, const program::Program& program, const RuleSet& rules)
      : timeline(timeline),
        program(program),
        runtime(runtimeAdapter(timeline.target.runtime)),
        lowerings(rules, timeline.target) {
    findLongestEvents();
  }

  CallOperands operandsOf(const program::Node& node) const {
    const OperatorFacts* facts =
        node.call.isNone() || !timeline.host ? nullptr : timeline.host->operatorFactsOf(node.call);
    return facts == nullptr ? CallOperands() : CallOperands(*facts, runtime);
  }

  /// That of the node's longest device event in the representative iteration; empty if it is not known.
  std::string_view categoryOf(program::NodeId node) const {
    if (longest_.empty() || longest_[node] == kNoEvent) return {};
    const EventIndex event = longest_[node];
    if (timeline.kind[event] == EventKind::Copy) return "copy";
    if (timeline.kind[event] == EventKind::Set) return "fill";
    const KernelFamily family = kernelFamily(timeline.text(timeline.name[event]));
    return family == KernelFamily::Other ? std::string_view() : ir::categoryOf(family);
  }

  /// The node of a model that the call runs, as the trace states it; empty without one.
  std::string_view statedNode(const program::Node& node) const {
    const OperatorFacts* facts = node.call.isNone() ? nullptr : timeline.host->operatorFactsOf(node.call);
    return facts == nullptr ? std::string_view() : std::string_view(facts->node);
  }

  /// The domain and the type of a node that is not lowered. A node of a model has the type of an operator of ONNX.
  std::pair<std::string_view, std::string> operatorOf(const program::Node& node) const {
    const std::string_view text = timeline.text(node.name);
    if (!statedNode(node).empty())
      for (const std::string_view domain : {std::string_view(), onnx_schemas::kMicrosoft, onnx_schemas::kBlocked})
        if (onnx_schemas::operatorSchema(std::string(domain), std::string(text))) return {domain, std::string(text)};
    if (node.call.isNone()) return {kDeviceDomain, shortKernelName(text, kShortNameWidth, runtime.kernelNamespaces())};
    const size_t end = text.rfind("::");
    if (end == std::string_view::npos || end == 0 || end + 2 == text.size()) return {kRegionDomain, std::string(text)};
    return {text.substr(0, end), std::string(text.substr(end + 2))};
  }

  const Timeline& timeline;
  const program::Program& program;
  const RuntimeAdapter& runtime;
  const CallLowerings lowerings;

 private:
  void findLongestEvents() {
    if (!timeline.hasDevice) return;
    longest_.assign(program.nodes.size(), kNoEvent);
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      const program::NodeId node = program.nodeOf[event];
      if (node.isNone() || timeline.iteration[event] != static_cast<int32_t>(program.iteration)) continue;
      EventIndex& longest = longest_[node];
      if (longest == kNoEvent || timeline.durationNs[event] > timeline.durationNs[longest]) longest = event;
    }
  }

  IdVector<program::NodeId, EventIndex> longest_;
};

class Importer {
 public:
  Importer(std::span<const Timeline> runs, std::span<const program::Program> programs, const RuleSet& rules) {
    for (size_t run = 0; run < runs.size(); ++run) runs_.emplace_back(runs[run], programs[run], rules);
    for (const Timeline& run : runs) module_.modelName += (module_.modelName.empty() ? "" : ",") + run.file;
    calls_ = mergePrograms(runs, programs);
  }

  Module run() {
    module_.frontEnd = FrontEnd::Trace;
    module_.opsets.emplace("", onnx_schemas::newestOpset(""));
    const GraphId main = module_.graphs.nextId();
    module_.graphs.emplace_back();
    module_.graphs[main].name = intern("program");
    for (const RunFacts& run : runs_) addScopes(run);
    for (const RunFacts& run : runs_) lastOps_.emplace_back(run.program.nodes.size());
    for (const MergedCall& call : calls_) addCall(call);
    inferResults();
    return std::move(module_);
  }

 private:
  Symbol intern(std::string_view text) { return module_.strings.intern(text); }

  void addScopes(const RunFacts& run) {
    auto& scopes = scopes_.emplace_back();
    const auto paths = scopePaths(run.timeline, run.program);
    for (const program::ScopeId id : run.program.scopes.ids()) {
      scopes.push_back(module_.addScope(paths[id]));
      const std::string_view text = run.timeline.text(run.program.scopes[id].name);
      if (run.runtime.isModuleCall(text) && scopes.back() != kRootScope)
        module_.scopes.setClass(scopes.back(), intern(run.runtime.moduleClass(run.runtime.moduleInstance(text))));
    }
  }

  /// `Encoder_0.Linear_3/linear_1`
  std::string nameIn(ScopeId scope, std::string_view type) const {
    std::string name = module_.scopePath(scope);
    if (!name.empty()) name += '/';
    return name.append(type);
  }

  std::string uniqueName(const std::string& name) {
    uint32_t& number = numbers_[name];
    std::string unique = number == 0 ? name : name + '_' + std::to_string(number);
    while (!taken_.insert(unique).second) unique = name + '_' + std::to_string(++number);
    ++number;
    return unique;
  }

  /// The operators of one call, and what they have in common.
  struct Call {
    std::string name;
    ScopeId scope;
    Symbol target;
    std::string_view category;
    CallOperands operands;
    /// Inputs of the graph; kNone for arguments that are no tensors.
    std::vector<ValueId> arguments;
  };

  void addCall(const MergedCall& merged) {
    const size_t first = merged.first();
    const RunFacts& run = runs_[first];
    const program::NodeId id = merged.nodes[first];
    const program::Node& node = run.program.nodes[id];
    const auto [domain, type] = run.operatorOf(node);
    Call call;
    call.scope = scopes_[first][node.scope];
    const std::string_view stated = run.statedNode(node);
    call.name = uniqueName(stated.empty() ? nameIn(call.scope, type) : std::string(stated));
    call.target = intern(run.timeline.text(node.name));
    call.category = run.categoryOf(id);
    call.operands = run.operandsOf(node);
    for (size_t place = 0; place < call.operands.arguments.size(); ++place) {
      const auto& argument = call.operands.arguments[place];
      call.arguments.push_back(argument ? addInput(call.name + ':' + std::to_string(place), *argument)
                                        : ValueId(kNone));
    }
    const OpId head = module_.ops.nextId();
    if (const Lowering* lowering = run.lowerings.find(run.timeline.text(node.name), call.operands)) {
      addLowered(call, *lowering);
    } else {
      std::vector<ValueId> inputs = call.arguments;
      while (!inputs.empty() && inputs.back() == kNone) inputs.pop_back();
      addOperator(call, call.name, {std::string(domain), type}, std::move(inputs));
    }
    const OpId last(module_.ops.size() - 1);
    module_.graphs[kMainGraph].outputs.push_back(module_.ops[last].outputs.front());
    setPredecessors(merged, head, last);
  }

  /// The operators that a call follows are those that it follows in any of the runs.
  void setPredecessors(const MergedCall& merged, OpId head, OpId last) {
    std::vector<OpId>& predecessors = module_.ops[head].controlPredecessors;
    for (size_t run = 0; run < runs_.size(); ++run) {
      const program::NodeId node = merged.nodes[run];
      if (node.isNone()) continue;
      lastOps_[run][node] = last;
      for (const program::NodeId before : runs_[run].program.nodes[node].after)
        predecessors.push_back(lastOps_[run][before]);
    }
    sortUnique(predecessors);
  }

  ValueId addOperator(const Call& call, const std::string& name, const OperatorName& type,
                      std::vector<ValueId> inputs) {
    const OpId op = module_.ops.nextId();
    const ValueId result = module_.values.nextId();
    Op& made = module_.ops.emplace_back();
    made.type = intern(type.type);
    if (!type.domain.empty()) made.domain = intern(type.domain);
    made.name = intern(name);
    made.scope = call.scope;
    made.sourceCall = intern(call.name);
    made.sourceTarget = call.target;
    if (!call.category.empty()) made.metadata.emplace_back(intern(kCategoryKey), intern(call.category));
    made.inputs = std::move(inputs);
    made.outputs.push_back(result);
    Value& value = module_.values.emplace_back();
    value.name = intern(name + ":0");
    value.kind = Value::Kind::Result;
    value.producer = op;
    module_.graphs[kMainGraph].order.push_back(op);
    return result;
  }

  /// The last operator has the name of the call, the others theirs behind it.
  void addLowered(const Call& call, const Lowering& lowering) {
    std::vector<ValueId> results;
    for (const Lowering::Operator& part : lowering.ops) {
      const bool isLast = &part == &lowering.ops.back();
      std::vector<ValueId> inputs;
      for (const Lowering::Operand& operand : part.operands)
        inputs.push_back(operand.kind == Lowering::Operand::Kind::Result ? results[operand.index]
                                                                         : argumentOf(call, operand.index));
      if (isLast && lowering.passesMore)
        for (const size_t place : call.operands.tensorsFrom(lowering.parameters.size()))
          inputs.push_back(call.arguments[place]);
      const std::string name = isLast ? call.name : call.name + '/' + part.name.type;
      results.push_back(addOperator(call, name, part.name, std::move(inputs)));
    }
  }

  /// An input of unknown type where the trace has no operands.
  ValueId argumentOf(const Call& call, uint32_t parameter) {
    return call.operands.isKnown ? call.arguments[parameter]
                                 : addInput(call.name + ':' + std::to_string(parameter), {});
  }

  ValueId addInput(const std::string& name, const Type& type) {
    const auto [known, isNew] = inputs_.try_emplace(name, module_.values.nextId());
    if (!isNew) return known->second;
    Value& value = module_.values.emplace_back();
    value.name = intern("in:" + name);
    value.kind = Value::Kind::Input;
    value.type = type;
    value.byteSize = type.byteSize();
    module_.graphs[kMainGraph].inputs.push_back(known->second);
    return known->second;
  }

  void inferResults() {
    const OperatorTypes types(module_);
    const HostValues elements(module_);
    IdVector<ValueId, Type> known;
    for (const Value& value : module_.values) known.push_back(value.type);
    for (const OpId op : module_.graphs[kMainGraph].order) {
      if (!module_.ops[op].domain.empty()) continue;
      const std::vector<Type> results = types.resultsOf(module_.ops[op], known, elements);
      if (results.empty()) continue;
      const ValueId value = module_.ops[op].outputs.front();
      module_.values[value].type = known[value] = results.front();
      module_.values[value].byteSize = results.front().byteSize();
    }
  }

  std::vector<RunFacts> runs_;
  std::vector<MergedCall> calls_;
  Module module_;
  /// By run.
  std::vector<IdVector<program::ScopeId, ScopeId>> scopes_;
  std::vector<IdVector<program::NodeId, OpId>> lastOps_;
  std::map<std::string, uint32_t> numbers_;
  std::set<std::string> taken_;
  std::map<std::string, ValueId> inputs_;
};

}  // namespace

Module importPrograms(std::span<const Timeline> runs, const RuleSet& rules) {
  std::vector<program::Program> programs;
  for (const Timeline& run : runs) programs.emplace_back(run);
  return Importer(runs, programs, rules).run();
}

std::optional<IdVector<program::NodeId, uint32_t>> callsOf(const Module& module, const Timeline& run,
                                                           const program::Program& program) {
  CallKeys keys;
  std::vector<uint32_t> calls;
  Symbol last;
  for (const Op& op : module.ops) {
    if (calls.empty() || op.sourceCall != last)
      calls.push_back(keys.of(module.scopePath(op.scope), module.text(op.sourceTarget)));
    last = op.sourceCall;
  }
  const auto pairs = commonSubsequence(calls, keysOf(run, program, keys));
  if (pairs.size() != program.nodes.size()) return std::nullopt;
  IdVector<program::NodeId, uint32_t> found;
  for (const auto& [call, node] : pairs) found.push_back(static_cast<uint32_t>(call));
  return found;
}

}  // namespace amdahlc::ir
