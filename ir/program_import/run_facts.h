/// What a run tells of the nodes of its program: operands, operators, categories. Internal to the import of programs.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ir/program_import/call_lowering.h"
#include "ir/program_import/program_import.h"
#include "replay/runtimes/runtime.h"
#include "runs/kernel_families/kernel_families.h"
#include "support/string_pool.h"

namespace amdahlc::ir {

class RunFacts {
 public:
  /// Both must outlive it.
  RunFacts(const RunProgram& run, const RuleSet& rules);

  /// The call of the execution trace; none without one.
  execution_trace::NodeId tracedCall(program::NodeId node) const {
    return data != nullptr ? data->callOf[node] : execution_trace::NodeId();
  }
  /// What a device event reads and makes, if the trace states it; null otherwise.
  const StatedTensors::Layer* layerOf(const program::Node& node) const;
  CallOperands operandsOf(program::NodeId node) const;
  /// That of the node's longest device event in the representative iteration, of those that compute if there are any;
  /// empty if it is not known.
  std::string_view categoryOf(program::NodeId node) const;
  /// The node of a model that the call runs, as the trace states it; empty without one.
  std::string_view statedNode(const program::Node& node) const;
  /// The domain and the type of a node that is not lowered. A node of a model has the type of an operator of ONNX.
  std::pair<std::string_view, std::string> operatorOf(const program::Node& node) const;

  const Timeline& timeline;
  const program::Program& program;
  /// Null without an execution trace.
  const program::ProgramData* data;
  const RuntimeAdapter& runtime;
  const CallLowerings lowerings;

 private:
  void findMainEvents();

  IdVector<program::NodeId, EventIndex> main_;
  mutable SymbolMemo<KernelFamily> families_;
};

}  // namespace amdahlc::ir
