#include "replay/timeline/tensor_layout.h"

#include <algorithm>
#include <array>
#include <utility>

namespace amdahlc {
namespace {

constexpr size_t kImageAxes = 4;

/// Whether the elements lie without gaps, with these axes from the outermost one to the innermost one. The stride of an
/// axis of length 1 says nothing.
bool isDense(std::span<const int64_t> dims, std::span<const int64_t> strides, std::span<const size_t> axes) {
  int64_t next = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    const size_t axis = axes[i];
    if (dims[axis] == 1) continue;
    if (strides[axis] != next || __builtin_mul_overflow(next, dims[axis], &next)) return false;
  }
  return true;
}

/// In the order of the axes.
std::vector<int64_t> usualStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t axis = dims.size(); axis-- > 1;)
    // As frameworks have it, an axis without elements counts as one of length 1. Too large ones have no strides.
    if (__builtin_mul_overflow(strides[axis], std::max<int64_t>(dims[axis], 1), &strides[axis - 1])) return {};
  return strides;
}

}  // namespace

std::optional<std::vector<std::vector<int64_t>>> compactStrides(const std::vector<std::vector<int64_t>>& dims,
                                                                std::vector<std::vector<int64_t>> strides) {
  if (strides.size() != dims.size()) return std::nullopt;
  size_t used = 0;
  for (size_t operand = 0; operand < dims.size(); ++operand) {
    if (strides[operand].size() != dims[operand].size()) return std::nullopt;
    if (strides[operand] == usualStrides(dims[operand]))
      strides[operand].clear();
    else
      used = operand + 1;
  }
  strides.resize(used);
  strides.shrink_to_fit();
  return strides;
}

std::vector<int64_t> stridesOf(const OperatorFacts& facts, size_t operand) {
  const bool isOther = operand < facts.strides->size() && !(*facts.strides)[operand].empty();
  return isOther ? (*facts.strides)[operand] : usualStrides(facts.inputDims[operand]);
}

ImageLayout imageLayout(std::span<const int64_t> dims, std::span<const int64_t> strides) {
  if (dims.size() != kImageAxes || std::ranges::any_of(dims, [](int64_t dim) { return dim <= 0; }))
    return ImageLayout::Unknown;
  static constexpr std::array<size_t, kImageAxes> kFirst = {0, 1, 2, 3}, kLast = {0, 2, 3, 1};
  if (strides.size() != kImageAxes) return ImageLayout::Unknown;
  const bool isFirst = isDense(dims, strides, kFirst), isLast = isDense(dims, strides, kLast);
  if (isFirst && isLast) return ImageLayout::Either;
  if (isFirst) return ImageLayout::ChannelsFirst;
  return isLast ? ImageLayout::ChannelsLast : ImageLayout::Other;
}

ImageLayout imageLayout(const OperatorFacts& facts, size_t operand) {
  if (!facts.strides || operand >= facts.inputDims.size()) return ImageLayout::Unknown;
  return imageLayout(facts.inputDims[operand], stridesOf(facts, operand));
}

}  // namespace amdahlc
