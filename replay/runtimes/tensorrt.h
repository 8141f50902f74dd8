/// The names of layers in the profiles of TensorRT.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace amdahlc {

/// Before each name of a node in the metadata of a layer.
inline constexpr std::string_view kTensorRtOnnxLayer = "[ONNX Layer: ";

/// The layers of all optimization profiles but the first, 0, have a suffix: `Conv_0 [profile 2]`.
struct TensorRtLayer {
  /// Without the suffix.
  std::string_view name;
  /// nullopt for a number beyond 64 bits.
  std::optional<int64_t> profile = 0;
};
TensorRtLayer tensorRtLayer(std::string_view name);

}  // namespace amdahlc
