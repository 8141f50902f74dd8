/// In which order the elements of tensors lie in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "replay/timeline/facts.h"

namespace amdahlc {

/// `OperatorFacts::strides` of what a trace states for each operand. nullopt where an operand that has elements has
/// another number of strides than of dimensions.
std::optional<std::vector<std::vector<int64_t>>> compactStrides(const std::vector<std::vector<int64_t>>& dims,
                                                                std::vector<std::vector<int64_t>> strides);

/// The strides of an operand, as a trace writes them. Precondition: they are known.
std::vector<int64_t> stridesOf(const OperatorFacts& facts, size_t operand);

/// The order of the elements of a batch of images, whose axes are batch, channels, height and width.
enum class ImageLayout : uint8_t {
  /// No batch of images, or nothing tells.
  Unknown,
  /// Each channel is an image of its own.
  ChannelsFirst,
  /// The channels of a pixel lie beside one another.
  ChannelsLast,
  /// With one channel, or one pixel, both orders are the same.
  Either,
  Other,
};

/// Of a tensor with these dimensions and strides, one for each dimension.
ImageLayout imageLayout(std::span<const int64_t> dims, std::span<const int64_t> strides);
/// Of an operand; `Unknown` for one that the operator does not have.
ImageLayout imageLayout(const OperatorFacts& facts, size_t operand);

}  // namespace amdahlc
