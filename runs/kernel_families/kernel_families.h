/// Families of device kernels, by the names that the libraries of vendors, frameworks and compilers give them.
/// `kernel_families.def` is the one list of the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace amdahlc {

/// What a kernel computes, coarsely.
enum class KernelFamily : uint8_t {
  Gemm,
  /// A matrix times a vector.
  Gemv,
  Attention,
  Convolution,
  Normalization,
  Softmax,
  Elementwise,
  /// Changes the order of elements: transposes, changes of layout.
  Permute,
  EmbeddingForward,
  EmbeddingBackward,
  Reduce,
  /// Adds the parts of a matrix product whose inner dimension was split.
  SplitK,
  Concat,
  /// Gathers, scatters, sorts and counts by index.
  Index,
  Copy,
  /// Fills memory with a value.
  Set,
  /// Communicates between devices.
  Collective,
  Other,
};
inline constexpr uint8_t kKernelFamilyCount = static_cast<uint8_t>(KernelFamily::Other) + 1;

/// `embedding-forward`
std::string_view name(KernelFamily family);

/// The family of a kernel with this name, which is no copy or set of memory by the device's runtime. Linear in the
/// length of the name.
KernelFamily kernelFamily(std::string_view kernel);

/// The part of the name of a kernel that says that it only changes the layout of images around a convolution; empty for
/// another kernel.
std::string_view imageLayoutChange(std::string_view kernel);

/// Whether the name of a kernel says that it rounds float32 to TF32, or that it does not; nullopt if it says neither.
std::optional<bool> roundsToTf32(std::string_view kernel);

}  // namespace amdahlc
