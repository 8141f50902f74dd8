#include "replay/runtimes/runtime.h"

#include "replay/runtimes/onnxruntime.h"
#include "replay/runtimes/operator_name.h"
#include "replay/runtimes/pytorch.h"
#include "replay/runtimes/tensorrt.h"

namespace amdahlc {

bool RuntimeAdapter::isStep(std::string_view) const { return false; }
std::optional<int64_t> RuntimeAdapter::stepNumber(std::string_view) const { return std::nullopt; }
bool RuntimeAdapter::isModuleCall(std::string_view) const { return false; }
std::string_view RuntimeAdapter::moduleInstance(std::string_view frame) const { return frame; }
std::string_view RuntimeAdapter::moduleClass(std::string_view instance) const { return instance; }
bool RuntimeAdapter::isOperatorCall(std::string_view) const { return true; }
bool RuntimeAdapter::isGeneratedCode(std::string_view) const { return false; }
std::string_view RuntimeAdapter::operatorList(std::string_view) const { return {}; }
std::vector<std::string> RuntimeAdapter::listedOperators(std::string_view,
                                                         const std::function<bool(std::string_view)>&) const {
  return {};
}
TrainingPhase RuntimeAdapter::phase(std::string_view) const { return TrainingPhase::Forward; }
std::string_view RuntimeAdapter::phaseStep(std::string_view name) const { return name; }
OperatorRole RuntimeAdapter::role(std::string_view, bool) const { return OperatorRole::Work; }
bool RuntimeAdapter::isIdentityInInference(std::string_view) const { return false; }
bool RuntimeAdapter::createsConstant(std::string_view) const { return false; }
bool RuntimeAdapter::writes(std::string_view) const { return false; }
bool RuntimeAdapter::isDataLoading(std::string_view) const { return false; }
bool RuntimeAdapter::isKernelLaunch(std::string_view) const { return false; }
std::span<const std::string_view> RuntimeAdapter::kernelNamespaces() const { return {}; }
std::span<const std::string_view> RuntimeAdapter::operatorVariants() const { return {}; }
std::vector<std::string_view> RuntimeAdapter::namedNodes(std::string_view name) const { return {name}; }
bool RuntimeAdapter::namesAllNodes() const { return false; }
bool RuntimeAdapter::namesRange(std::string_view) const { return false; }
bool RuntimeAdapter::isLayoutConversion(std::string_view, std::string_view) const { return false; }

std::string RuntimeAdapter::comparableName(std::string_view operatorName) const {
  std::string text = amdahlc::comparableName(operatorName);
  for (const std::string_view variant : operatorVariants())
    if (text.size() > variant.size() && text.starts_with(variant)) text.erase(0, variant.size());
  return text;
}

namespace {

const OnnxRuntime kOnnxRuntime;
const PyTorchRuntime kPyTorch;
const TensorRtRuntime kTensorRt;

struct Runtime {
  std::string_view name;
  /// Null if the meaning of its names is not known.
  const RuntimeAdapter* adapter = nullptr;
};
constexpr Runtime kRuntimes[] = {
    {"jax"},        {OnnxRuntime::kName, &kOnnxRuntime},  {"openvino"}, {PyTorchRuntime::kName, &kPyTorch},
    {"tensorflow"}, {TensorRtRuntime::kName, &kTensorRt}, {"tvm"},
};

}  // namespace

const std::vector<std::string>& knownRuntimes() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Runtime& row : kRuntimes) names.emplace_back(row.name);
    return names;
  }();
  return kNames;
}

const RuntimeAdapter& runtimeAdapter(std::string_view runtime) {
  static const RuntimeAdapter kUnknown;
  for (const Runtime& row : kRuntimes)
    if (row.name == runtime && row.adapter != nullptr) return *row.adapter;
  return kUnknown;
}

std::string_view fallbackRuntime() { return PyTorchRuntime::kName; }

}  // namespace amdahlc
