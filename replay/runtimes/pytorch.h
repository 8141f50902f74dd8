/// The names in traces of PyTorch's profiler.
#pragma once

#include "replay/runtimes/runtime.h"

namespace amdahlc {

/// Steps are `ProfilerStep#3`, calls of modules `nn.Module: Linear_4` (the fifth instance of the class), operators
/// `aten::addmm`. Operator events without a namespace are regions of a compiler or a profiler, or kernels that Inductor
/// generated, which count as operators.
class PyTorchRuntime final : public RuntimeAdapter {
 public:
  static constexpr std::string_view kName = "pytorch";

  bool isStep(std::string_view annotation) const override;
  std::optional<int64_t> stepNumber(std::string_view annotation) const override;
  bool isModuleCall(std::string_view frame) const override;
  std::string_view moduleInstance(std::string_view frame) const override;
  std::string_view moduleClass(std::string_view instance) const override;
  bool isOperatorCall(std::string_view name) const override;
  bool isGeneratedCode(std::string_view name) const override;
  /// `triton_poi_fused_add_relu_3`, `cpp_fused_add_relu_3` and `graph_0_cpp_fused_add_relu_3` list `add_relu`.
  std::string_view operatorList(std::string_view kernelName) const override;
  /// Inductor lists the ATen operators before their decomposition, without namespace and overload, each once, sorted
  /// and joined by `_`.
  std::vector<std::string> listedOperators(std::string_view list,
                                           const std::function<bool(std::string_view)>& isOperator) const override;
  TrainingPhase phase(std::string_view name) const override;
  std::string_view phaseStep(std::string_view name) const override;
  OperatorRole role(std::string_view operatorName, bool hasChildren) const override;
  bool isIdentityInInference(std::string_view operatorName) const override;
  bool createsConstant(std::string_view operatorName) const override;
  bool writes(std::string_view operatorName) const override;
  /// `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`
  bool isDataLoading(std::string_view name) const override;
  bool isKernelLaunch(std::string_view call) const override;
  std::span<const std::string_view> kernelNamespaces() const override;
  std::span<const std::string_view> operatorVariants() const override;
};

}  // namespace amdahlc
