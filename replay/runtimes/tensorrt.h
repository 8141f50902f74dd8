/// The names of layers in the profiles of TensorRT.
#pragma once

#include "replay/runtimes/runtime.h"

namespace amdahlc {

/// A layer is named after the nodes that it runs: `Conv_0 + Relu_1`, `PWN(PWN(Sigmoid_3), Mul_4)`,
/// `{ForeignNode[a...b]}`. Its metadata lists them: `[ONNX Layer: a]`, joined by U+001E or U+001F. Both are read.
class TensorRtRuntime final : public RuntimeAdapter {
 public:
  static constexpr std::string_view kName = "tensorrt";
  /// Before each name in metadata.
  static constexpr std::string_view kOnnxLayer = "[ONNX Layer: ";

  /// The layers of all optimization profiles but the first, 0, have a suffix: `Conv_0 [profile 2]`.
  struct OfProfile {
    /// Without the suffix.
    std::string_view name;
    /// nullopt for a number beyond 64 bits.
    std::optional<int64_t> profile = 0;
  };
  static OfProfile ofProfile(std::string_view layer);

  std::vector<std::string_view> namedNodes(std::string_view layer) const override;
  bool namesAllNodes() const override { return true; }
  bool namesRange(std::string_view layer) const override;
  bool isLayoutConversion(std::string_view operatorName, std::string_view layer) const override;
};

}  // namespace amdahlc
