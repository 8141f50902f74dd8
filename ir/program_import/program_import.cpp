#include "ir/program_import/program_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/program_import/merged_program.h"
#include "ir/program_import/result_types.h"
#include "ir/program_import/returned_tensors.h"
#include "ir/program_import/run_facts.h"
#include "replay/runtimes/runtime.h"
#include "support/common_subsequence.h"
#include "support/sort_unique.h"

namespace amdahlc::ir {

namespace {

class Importer {
 public:
  Importer(std::span<const RunProgram> runs, const RuleSet& rules) {
    for (const RunProgram& run : runs) {
      runs_.emplace_back(run, rules);
      module_.modelName += (module_.modelName.empty() ? "" : ",") + run.timeline.file;
      if (run.data) module_.frontEnd = FrontEnd::ExecutionTrace;
      if (run.data) module_.dataEdges += run.data->pairs;
    }
    calls_ = mergePrograms(runs);
  }

  Module run() {
    if (!module_.isRecorded()) module_.frontEnd = FrontEnd::Trace;
    module_.opsets.emplace("", onnx_schemas::newestOpset(""));
    const GraphId main = module_.graphs.nextId();
    module_.graphs.emplace_back();
    module_.graphs[main].name = intern("program");
    for (const RunFacts& run : runs_) addScopes(run);
    for (const RunFacts& run : runs_) {
      lastOps_.emplace_back(run.program.nodes.size());
      tensors_.emplace_back(run.data);
    }
    for (const MergedCall& call : calls_) addCall(call);
    results_.infer(module_);
    setInputsAndOutputs();
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
    bool writesInPlace = false;
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
    call.writesInPlace = run.runtime.writesInPlace(run.timeline.text(node.name));
    call.category = run.categoryOf(id);
    call.operands = run.operandsOf(id);
    std::vector<ValueId> further;
    const StatedTensors::Layer* layer = run.layerOf(node);
    if (layer != nullptr) {
      addStatedArguments(call, run.timeline.stated, *layer);
    } else if (!run.tracedCall(id).isNone()) {
      further = addTracedArguments(call, first, id);
    } else {
      for (size_t place = 0; place < call.operands.arguments.size(); ++place) {
        const auto& argument = call.operands.arguments[place];
        call.arguments.push_back(argument ? addInput(call.name + ':' + std::to_string(place), *argument)
                                          : ValueId(kNone));
      }
    }
    const OpId head = module_.ops.nextId();
    if (const Lowering* lowering = run.lowerings.find(run.timeline.text(node.name), call.operands)) {
      addLowered(call, *lowering, run.lowerings);
    } else {
      std::vector<ValueId> inputs = call.arguments;
      while (!inputs.empty() && inputs.back() == kNone) inputs.pop_back();
      inputs.insert(inputs.end(), further.begin(), further.end());
      further.clear();
      addOperator(call, call.name, {std::string(domain), type}, std::move(inputs));
    }
    const OpId last(module_.ops.size() - 1);
    if (layer != nullptr) addStatedResults(run.timeline.stated, *layer, last);
    if (!run.tracedCall(id).isNone()) addTracedResults(first, id, last);
    setPredecessors(merged, head, last);
    // An operator of ONNX takes what its schema says; what the call reads beside is told by the order.
    for (const ValueId value : further) module_.ops[head].controlPredecessors.push_back(module_.values[value].producer);
    sortUnique(module_.ops[head].controlPredecessors);
  }

  /// What a layer reads is the result of the layer that made the tensor before, or else an input of the graph.
  void addStatedArguments(Call& call, const StatedTensors& stated, const StatedTensors::Layer& layer) {
    std::set<OpId> makers;
    for (const uint32_t index : layer.reads) {
      const StatedTensors::Tensor& tensor = stated.tensors[index];
      const auto made = madeTensors_.find(tensor.name);
      call.arguments.push_back(made == madeTensors_.end() ? addInput(tensor.name, typeOf(tensor)) : made->second);
      if (made != madeTensors_.end()) makers.insert(module_.values[made->second].producer);
    }
    module_.dataEdges += static_cast<int64_t>(makers.size());
  }

  void addStatedResults(const StatedTensors& stated, const StatedTensors::Layer& layer, OpId op) {
    for (size_t place = 0; place < layer.makes.size(); ++place) {
      const StatedTensors::Tensor& tensor = stated.tensors[layer.makes[place]];
      const Type type = typeOf(tensor);
      const ValueId value = place == 0 ? module_.ops[op].outputs.front() : addResult(op, type);
      module_.values[value].type = type;
      module_.values[value].byteSize = type.byteSize();
      madeTensors_.insert_or_assign(tensor.name, value);
    }
  }

  static Type typeOf(const StatedTensors::Tensor& tensor) {
    const auto element = elementTypeFromName(tensor.elementType);
    std::vector<Dim> dims;
    for (const int64_t dim : tensor.dims) dims.push_back(Dim::of(dim));
    return element ? Type::tensor(*element, std::move(dims)) : Type();
  }

  /// Sets the arguments of a call by who wrote them. Returns what it reads beside its arguments, or in parts: the call
  /// has as many further operands.
  std::vector<ValueId> addTracedArguments(Call& call, size_t run, program::NodeId id) {
    const program::ProgramData& data = *runs_[run].data;
    ReturnedTensors& returned = tensors_[run];
    std::map<uint32_t, std::vector<program::NodeId>> writers;  // by tensor, ascending
    if (const auto first = returned.firstEdge.find(id); first != returned.firstEdge.end())
      for (size_t i = first->second; i < data.edges.size() && data.edges[i].reader == id; ++i)
        writers[data.edges[i].tensor].push_back(data.edges[i].writer);
    std::vector<ValueId> further;
    const auto valueOf = [&](uint32_t index, const Type& type) {
      const execution_trace::Tensor& tensor = data.trace.tensors[index];
      const auto written = writers.find(index);
      const auto last = returned.last.find(keyOf(tensor));
      const bool isReturned = last != returned.last.end() &&
                              haveEqualShapes(data.trace.tensors[last->second.tensor], tensor) &&
                              (written == writers.end() || written->second.back() <= last->second.node);
      if (isReturned) return last->second.value;
      if (written == writers.end()) return addTracedInput(run, index, type);
      for (size_t i = 0; i + 1 < written->second.size(); ++i)
        further.push_back(resultFor(run, written->second[i], index, type));
      return resultFor(run, written->second.back(), index, type);
    };
    for (size_t place = 0; place < call.operands.arguments.size(); ++place) {
      const uint32_t tensor = call.operands.tensors[place];
      call.arguments.push_back(tensor == CallOperands::kNoTensor ? ValueId(kNone)
                                                                 : valueOf(tensor, *call.operands.arguments[place]));
      writers.erase(tensor);
    }
    for (const auto& [tensor, nodes] : writers)
      for (const program::NodeId writer : nodes)
        further.push_back(resultFor(run, writer, tensor, typeOf(runs_[run], tensor)));
    return further;
  }

  static Type typeOf(const RunFacts& run, uint32_t tensor) {
    execution_trace::Value value;
    value.kind = execution_trace::ValueKind::Tensor;
    value.number = tensor;
    return *CallOperands(run.data->trace, std::span(&value, 1), run.runtime).arguments.front();
  }

  /// The result of a call in the memory of a tensor and with its shape; a new one if it has none.
  ValueId resultFor(size_t run, program::NodeId writer, uint32_t tensor, const Type& type) {
    const auto& tensors = runs_[run].data->trace.tensors;
    auto& results = tensors_[run].results[writer];
    for (const auto& [of, value] : results)
      if (tensors[of].storage == tensors[tensor].storage && tensors[of].beginByte == tensors[tensor].beginByte &&
          haveEqualShapes(tensors[of], tensors[tensor]))
        return value;
    const ValueId value = addResult(lastOps_[run][writer], type);
    module_.values[value].storage = storageOf(run, tensor);
    module_.values[value].isWritten = true;
    results.emplace_back(tensor, value);
    return value;
  }

  /// An input for a tensor that no call of the iteration wrote. Another storage may have had its number.
  ValueId addTracedInput(size_t run, uint32_t index, const Type& type) {
    const execution_trace::Tensor& tensor = runs_[run].data->trace.tensors[index];
    const StorageId storage = storageOf(run, index);
    std::string name = fmt::format("tensor {}.{}.{}", tensor.storage, tensor.beginByte, describe(type));
    for (auto known = inputs_.find(name); known != inputs_.end(); known = inputs_.find(name += '\''))
      if (module_.values[known->second].storage == storage) return known->second;
    const ValueId value = addInput(name, type);
    module_.values[value].storage = storage;
    return value;
  }

  /// The storage of a tensor of the execution trace; none for one without bytes, and where there are several runs:
  /// their memory is not one.
  StorageId storageOf(size_t run, uint32_t tensor) {
    const program::ProgramData& data = *runs_[run].data;
    const uint32_t life = data.lifeOf[tensor];
    if (runs_.size() > 1 || life == execution_trace::kNoLife) return kNone;
    const auto [known, isNew] = storages_.try_emplace(life, module_.storages.nextId());
    if (isNew) {
      const program::ProgramData::Life& of = data.lives[life];
      module_.storages.push_back(
          {of.bytes > 0 ? std::optional(of.bytes) : std::nullopt, of.isBefore, of.isAfter, of.onHost});
    }
    return known->second;
  }

  ValueId addResult(OpId op, const Type& type) {
    const ValueId id = module_.values.nextId();
    Value& value = module_.values.emplace_back();
    value.name = intern(fmt::format("{}:{}", module_.text(module_.ops[op].name), module_.ops[op].outputs.size()));
    value.kind = Value::Kind::Result;
    value.producer = op;
    value.producerIndex = static_cast<uint32_t>(module_.ops[op].outputs.size());
    value.type = type;
    value.byteSize = type.byteSize();
    module_.ops[op].outputs.push_back(id);
    return id;
  }

  /// The tensors that the call returns are the results of its last operator.
  void addTracedResults(size_t run, program::NodeId id, OpId last) {
    const RunFacts& facts = runs_[run];
    const CallOperands returned(facts.data->trace, facts.data->trace.outputs(facts.tracedCall(id)), facts.runtime);
    for (size_t place = 0, index = 0; place < returned.arguments.size(); ++place) {
      if (!returned.arguments[place]) continue;
      ValueId value;
      if (index++ == 0) {
        value = module_.ops[last].outputs.front();
        module_.values[value].type = *returned.arguments[place];
        module_.values[value].byteSize = returned.arguments[place]->byteSize();
      } else {
        value = addResult(last, *returned.arguments[place]);
      }
      const uint32_t tensor = returned.tensors[place];
      module_.values[value].storage = storageOf(run, tensor);
      module_.values[value].isWritten = module_.values[value].storage != kNone &&
                                        std::ranges::binary_search(facts.data->written[id], facts.data->lifeOf[tensor]);
      tensors_[run].last.insert_or_assign(keyOf(facts.data->trace.tensors[tensor]),
                                          ReturnedTensors::Returned{id, value, tensor});
      tensors_[run].results[id].emplace_back(tensor, value);
    }
  }

  /// The graph takes what no call wrote and no call needs as a constant, and returns what no operator uses: every call
  /// ran.
  void setInputsAndOutputs() {
    for (const ValueId value : module_.values.ids())
      if (module_.values[value].kind == Value::Kind::Input) module_.graphs[kMainGraph].inputs.push_back(value);
    IdVector<ValueId, bool> isUsed(module_.values.size(), false);
    for (const Op& op : module_.ops)
      for (const ValueId input : op.inputs)
        if (input != kNone) isUsed[input] = true;
    for (const OpId op : module_.graphs[kMainGraph].order)
      for (const ValueId output : module_.ops[op].outputs)
        if (!isUsed[output]) module_.graphs[kMainGraph].outputs.push_back(output);
  }

  /// The operators that a call follows are those that it follows in any of the runs.
  void setPredecessors(const MergedCall& merged, OpId head, OpId last) {
    std::vector<OpId>& predecessors = module_.ops[head].controlPredecessors;
    for (size_t run = 0; run < runs_.size(); ++run) {
      const program::NodeId node = merged.nodes[run];
      if (node.isNone()) continue;
      lastOps_[run][node] = last;
      const bool isTraced = !runs_[run].tracedCall(node).isNone();
      if (runs_[run].layerOf(runs_[run].program.nodes[node]) != nullptr) continue;
      for (const program::NodeId before :
           isTraced ? runs_[run].data->orderedAfter[node] : runs_[run].program.nodes[node].after)
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
  void addLowered(const Call& call, const Lowering& lowering, const CallLowerings& lowerings) {
    std::vector<ValueId> results;
    const auto attributes = lowerings.attributesOf(lowering, call.operands);
    for (const Lowering::Operator& part : lowering.ops) {
      const bool isLast = &part == &lowering.ops.back();
      std::vector<ValueId> inputs;
      for (const Lowering::Operand& operand : part.operands)
        inputs.push_back(operand.kind == Lowering::Operand::Kind::Result ? results[operand.index]
                                                                         : argumentOf(call, lowering, operand.index));
      if (isLast && lowering.passesMore)
        for (const size_t place : call.operands.tensorsFrom(parametersBeforeMore(lowering)))
          inputs.push_back(call.arguments[place]);
      if (const ValueId constant = isLast ? ValueId(kNone) : transposedConstant(part.name, inputs); constant != kNone) {
        results.push_back(constant);
        continue;
      }
      while (!inputs.empty() && inputs.back() == kNone) inputs.pop_back();
      const std::string name = isLast ? call.name : uniqueName(call.name + '/' + part.name.type);
      const LoweredAttributes& known = attributes[static_cast<size_t>(&part - lowering.ops.data())];
      results.push_back(addOperator(call, name, part.name, std::move(inputs)));
      module_.ops.back().attributes = known.attributes;
      const OpId op = module_.values[results.back()].producer;
      results_.addOperator(op, lowering, part, known, call.operands);
      if (call.writesInPlace) results_.addWrittenInPlace(op);
    }
  }

  /// An input of unknown type where the trace has no operands.
  ValueId argumentOf(const Call& call, const Lowering& lowering, uint32_t parameter) {
    const std::string name = call.name + ':' + std::to_string(parameter);
    const bool isConstant = lowering.parameters[parameter].kind == Lowering::Parameter::Kind::Constant;
    ValueId value;
    if (!call.operands.isKnown)
      value = addInput(name, {});
    else if (parameter < call.arguments.size() && !call.operands.isAbsent[parameter])
      value = call.arguments[parameter] == kNone ? addNumber(name) : call.arguments[parameter];
    if ((isConstant || isNumber(call, value)) && value != kNone && module_.values[value].kind == Value::Kind::Input) {
      module_.values[value].kind = Value::Kind::Constant;
      TensorConstant constant{module_.values[value].type, std::nullopt, std::nullopt};
      if (parameter < call.operands.values.size()) setElements(call.operands.values[parameter], constant);
      module_.values[value].type = constant.type;
      module_.values[value].byteSize = constant.type.byteSize();
      module_.values[value].constant = std::move(constant);
    }
    return value;
  }

  /// Whether an argument is a number that the call takes in place of a tensor: no call makes it, it has no dimensions,
  /// and it has the type of numbers of the language, while a tensor beside it has another one.
  bool isNumber(const Call& call, ValueId argument) const {
    if (argument == kNone) return false;
    const Value& number = module_.values[argument];
    const auto isScalar = [](const Type& type) { return type.isTensor() && type.ranked && type.dims.empty(); };
    if (number.kind != Value::Kind::Input || !isScalar(number.type) ||
        (number.type.element != ElementType::Double && number.type.element != ElementType::Int64))
      return false;
    return std::ranges::any_of(call.arguments, [&](ValueId other) {
      if (other == kNone) return false;
      const Type& type = module_.values[other].type;
      return type.isTensor() && !isScalar(type) && type.element != number.type.element;
    });
  }

  /// A weight that the call uses transposed, as exporters have it: with its dimensions in the other order. kNone if the
  /// run computes the weight, and for other operators.
  ValueId transposedConstant(const OperatorName& type, const std::vector<ValueId>& inputs) {
    if (type.type != "Transpose" || !type.domain.empty() || inputs.size() != 1) return kNone;
    const Value& weight = module_.values[inputs.front()];
    if (weight.kind != Value::Kind::Constant) return kNone;
    Type reversed = weight.type;
    const StorageId storage = weight.storage;
    std::ranges::reverse(reversed.dims);
    const ValueId value = addInput(std::string(module_.text(weight.name)) + ":t", reversed);
    module_.values[value].kind = Value::Kind::Constant;
    module_.values[value].constant = TensorConstant{reversed, std::nullopt, std::nullopt};
    module_.values[value].storage = storage;
    return value;
  }

  /// An argument that is no tensor.
  ValueId addNumber(const std::string& name) {
    const ValueId value = addInput(name, {});
    results_.addNumber(value);
    return value;
  }

  ValueId addInput(const std::string& name, const Type& type) {
    const auto [known, isNew] = inputs_.try_emplace(name, module_.values.nextId());
    if (!isNew) return known->second;
    Value& value = module_.values.emplace_back();
    value.name = intern("in:" + name);
    value.kind = Value::Kind::Input;
    value.type = type;
    value.byteSize = type.byteSize();
    return known->second;
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
  /// By life of the execution trace.
  std::map<uint32_t, StorageId> storages_;
  std::vector<ReturnedTensors> tensors_;
  /// Of layers that state their tensors, by name.
  std::map<std::string, ValueId, std::less<>> madeTensors_;
  ResultTypes results_;
};

}  // namespace

Module importPrograms(std::span<const RunProgram> runs, const RuleSet& rules) { return Importer(runs, rules).run(); }

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
  const auto places = placesOf(keysOf(run, program, keys), calls);
  if (!places) return std::nullopt;
  IdVector<program::NodeId, uint32_t> found;
  for (const size_t call : *places) found.push_back(static_cast<uint32_t>(call));
  return found;
}

}  // namespace amdahlc::ir
