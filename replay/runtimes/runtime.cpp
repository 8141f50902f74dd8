#include "replay/runtimes/runtime.h"

#include "replay/runtimes/adapters.h"
#include "replay/runtimes/operator_name.h"

namespace amdahlc {

std::string_view RuntimeAdapter::remedy(Remedy kind) const {
  switch (kind) {
    case Remedy::FuseAttention:
      return "a fused attention kernel";
    case Remedy::Compile:
    case Remedy::Epilogue:
      return "a compiler, or a kernel of its own";
    case Remedy::Graph:
      return "a CUDA graph";
    case Remedy::OverlapCopies:
      return "pinned memory and a stream for copies";
    case Remedy::Tf32:
      return "allow TF32 in products";
    case Remedy::NarrowTypes:
    case Remedy::NarrowTypesOnHost:
    case Remedy::NarrowModel:
      return "weights and activations of 16 bits";
    case Remedy::Quantize:
      return "quantised weights";
    case Remedy::QuantizeAll:
      return "weights and activations of 8 bits, with ranges from a calibration";
    case Remedy::ChannelsLast:
      return "images with channels last";
    case Remedy::FuseUpdate:
      return "a fused optimizer";
    case Remedy::LoadAhead:
      return "threads or processes that load ahead";
    case Remedy::ReadLater:
      return "asynchronous copies into pinned memory, which are read when the iteration is over";
    case Remedy::FixedSizes:
      return "masks and results of a fixed size";
    case Remedy::CompileOnce:
      return "more iterations before those that count, and fewer shapes";
    case Remedy::KeepMemory:
      return "a pool of memory, or a smaller batch";
    case Remedy::KeepResults:
      return "no recomputation where memory allows it";
    case Remedy::RecordFunctions:
    case Remedy::RecordShapes:
      return {};
    case Remedy::OverlapCommunication:
      return "smaller messages that start earlier";
  }
  return {};
}

std::string RuntimeAdapter::comparableName(std::string_view operatorName) const {
  std::string text = amdahlc::comparableName(operatorName);
  for (const std::string_view variant : operatorVariants())
    if (text.size() > variant.size() && text.starts_with(variant)) text.erase(0, variant.size());
  return text;
}

namespace {

struct Runtime {
  std::string_view name;
  /// Null if the meaning of its names is not known.
  const RuntimeAdapter& (*adapter)() = nullptr;
};
constexpr Runtime kRuntimes[] = {
    {"jax"},        {kOnnxRuntime, onnxRuntimeAdapter}, {"openvino"}, {kPyTorch, pyTorchAdapter},
    {"tensorflow"}, {kTensorRt, tensorRtAdapter},       {"tvm"},
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
    if (row.name == runtime && row.adapter != nullptr) return row.adapter();
  return kUnknown;
}

}  // namespace amdahlc
