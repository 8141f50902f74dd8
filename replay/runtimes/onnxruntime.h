/// The names in profiles of ONNX Runtime.
#pragma once

#include "replay/runtimes/runtime.h"

namespace amdahlc {

/// A step is one execution of the graph, `SequentialExecutor::Execute`. Operators are types of ONNX and of the
/// runtime's own domains, without the domain: `Conv`, `SkipLayerNormalization`.
class OnnxRuntime final : public RuntimeAdapter {
 public:
  static constexpr std::string_view kName = "onnxruntime";

  bool isStep(std::string_view annotation) const override;
  /// Not for a node with a body: the nodes of the body are calls of their own.
  bool isOperatorCall(std::string_view name) const override;
  OperatorRole role(std::string_view operatorName, bool hasChildren) const override;
  /// Without what a fusion appends to the name of a node: `/query/MatMul/MatMulAddFusion` is `/query/MatMul`. A node
  /// over blocked channels has the name of a result: `/relu/Relu_output_0_nchwc`.
  std::vector<std::string_view> namedNodes(std::string_view eventName) const override;
  bool isLayoutConversion(std::string_view operatorName, std::string_view node) const override;
};

}  // namespace amdahlc
