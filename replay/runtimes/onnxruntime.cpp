#include "replay/runtimes/onnxruntime.h"

#include "support/name_list.h"

namespace amdahlc {
namespace {

/// Each execution of a graph is one event, that of a body too, inside that of its node.
constexpr std::string_view kSteps[] = {"SequentialExecutor::Execute", "ParallelExecutor::Execute"};

constexpr std::string_view kBlocked = "_nchwc";
/// The end of what a fusion appends.
constexpr std::string_view kFusion = "Fusion";

constexpr std::string_view kWithBodies[] = {"If", "Loop", "Scan", "SequenceMap"};

/// Operators that only change the layout, which no exporter writes.
constexpr std::string_view kLayoutOperators[] = {"ReorderInput", "ReorderOutput"};
/// Reshapes that the fusion of MatMul and Add puts around a Gemm, which takes matrices only.
constexpr std::string_view kLayoutNodes[] = {"gemm_input_reshape", "gemm_output_reshape"};

}  // namespace

bool OnnxRuntime::isStep(std::string_view annotation) const { return contains(kSteps, annotation); }

bool OnnxRuntime::isOperatorCall(std::string_view name) const { return !contains(kWithBodies, name); }

OperatorRole OnnxRuntime::role(std::string_view operatorName, bool hasChildren) const {
  return hasChildren && contains(kWithBodies, operatorName) ? OperatorRole::Wrapper : OperatorRole::Work;
}

std::vector<std::string_view> OnnxRuntime::namedNodes(std::string_view eventName) const {
  if (eventName.ends_with(kBlocked)) eventName.remove_suffix(kBlocked.size());
  for (;;) {
    const std::string_view whole = eventName.ends_with('/') ? eventName.substr(0, eventName.size() - 1) : eventName;
    const size_t slash = whole.rfind('/');
    if (slash == std::string_view::npos || slash == 0 || !whole.ends_with(kFusion)) return {eventName};
    eventName = whole.substr(0, slash);
  }
}

bool OnnxRuntime::isLayoutConversion(std::string_view operatorName, std::string_view node) const {
  return contains(kLayoutOperators, operatorName) || startsWithOneOf(kLayoutNodes, node);
}

}  // namespace amdahlc
