// The names in profiles of ONNX Runtime.
#include <algorithm>
#include <iterator>
#include <vector>

#include "replay/runtimes/adapters.h"
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

/// One reshape that the runtime makes of several in a row has the name of the first.
constexpr std::string_view kJoined = "_new_reshape";

/// Where the types of nodes that move elements and those of operators that the runtime makes of them differ: it moves
/// transpositions, which may become reshapes, and makes one `Split` of parts of a tensor, and a `Squeeze` of what these
/// do with dimensions.
struct MovedTypes {
  std::string_view operatorName;
  std::vector<std::string_view> types;
};
const MovedTypes kMovedTypes[] = {
    {"Transpose", {"Transpose"}},
    {"Reshape", {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"}},
    {"Squeeze", {"Squeeze", "Gather"}},
    {"Unsqueeze", {"Unsqueeze"}},
    {"Slice", {"Slice"}},
    {"Gather", {"Gather"}},
    {"Split", {"Split", "Slice", "Gather"}},
};

/// A step is one execution of the graph, `SequentialExecutor::Execute`. Operators are types of ONNX and of the
/// runtime's own domains, without the domain: `Conv`, `SkipLayerNormalization`.
class OnnxRuntime final : public RuntimeAdapter {
 public:
  std::string_view remedy(Remedy kind) const override {
    switch (kind) {
      case Remedy::FuseAttention:
      case Remedy::Compile:
      case Remedy::Epilogue:
        return "the graph optimization level `ORT_ENABLE_ALL`, or the transformers optimizer";
      case Remedy::Graph:
        return "the provider option `enable_cuda_graph`";
      case Remedy::OverlapCopies:
        return "`IOBinding`";
      case Remedy::Tf32:
        return "the provider option `use_tf32`";
      case Remedy::NarrowTypes:
      case Remedy::NarrowModel:
        return "a model that is converted to float16";
      case Remedy::NarrowTypesOnHost:
        return {};
      case Remedy::Quantize:
        return "`onnxruntime.quantization.quantize_dynamic`";
      case Remedy::QuantizeAll:
        return "`onnxruntime.quantization.quantize_static`";
      case Remedy::ChannelsLast:
      case Remedy::FuseUpdate:
      case Remedy::LoadAhead:
      case Remedy::ReadLater:
      case Remedy::FixedSizes:
      case Remedy::CompileOnce:
      case Remedy::KeepMemory:
      case Remedy::OverlapCommunication:
      case Remedy::KeepResults:
      case Remedy::RecordFunctions:
      case Remedy::RecordShapes:
        break;
    }
    return RuntimeAdapter::remedy(kind);
  }

  bool isStep(std::string_view annotation) const override { return contains(kSteps, annotation); }

  /// Not for a node with a body: the nodes of the body are calls of their own.
  bool isOperatorCall(std::string_view name) const override { return !contains(kWithBodies, name); }

  OperatorRole role(std::string_view operatorName, bool hasChildren) const override {
    return hasChildren && contains(kWithBodies, operatorName) ? OperatorRole::Wrapper : OperatorRole::Work;
  }

  bool isBesideModel(std::string_view operatorName) const override { return operatorName == "Identity"; }

  /// Without what a fusion appends to the name of a node: `/query/MatMul/MatMulAddFusion` is `/query/MatMul`. A node
  /// over blocked channels has the name of a result: `/relu/Relu_output_0_nchwc`.
  std::vector<std::string_view> namedNodes(std::string_view eventName) const override {
    for (const std::string_view end : {kBlocked, kJoined})
      if (eventName.ends_with(end)) eventName.remove_suffix(end.size());
    for (;;) {
      const std::string_view whole = eventName.ends_with('/') ? eventName.substr(0, eventName.size() - 1) : eventName;
      const size_t slash = whole.rfind('/');
      if (slash == std::string_view::npos || slash == 0 || !whole.ends_with(kFusion)) return {eventName};
      eventName = whole.substr(0, slash);
    }
  }

  std::span<const std::string_view> movedTypes(std::string_view operatorName) const override {
    const auto found = std::ranges::find(kMovedTypes, operatorName, &MovedTypes::operatorName);
    return found == std::end(kMovedTypes) ? std::span<const std::string_view>() : found->types;
  }

  bool isLayoutConversion(std::string_view operatorName, std::string_view node) const override {
    return contains(kLayoutOperators, operatorName) ||
           (startsWithOneOf(kLayoutNodes, node) && !node.ends_with(kJoined));
  }
};

}  // namespace

const RuntimeAdapter& onnxRuntimeAdapter() {
  static const OnnxRuntime kAdapter;
  return kAdapter;
}

}  // namespace amdahlc
