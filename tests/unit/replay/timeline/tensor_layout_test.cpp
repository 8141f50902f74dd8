#include "replay/timeline/tensor_layout.h"

#include <doctest/doctest.h>

using namespace amdahlc;

namespace {

ImageLayout of(std::vector<int64_t> dims, std::vector<int64_t> strides) { return imageLayout(dims, strides); }

}  // namespace

TEST_CASE("the layout of images is told by their strides") {
  CHECK(of({2, 3, 4, 5}, {60, 20, 5, 1}) == ImageLayout::ChannelsFirst);
  CHECK(of({2, 3, 4, 5}, {60, 1, 15, 3}) == ImageLayout::ChannelsLast);
  // A part of larger images, and images that a view has turned.
  CHECK(of({2, 3, 4, 5}, {120, 20, 5, 1}) == ImageLayout::Other);
  CHECK(of({2, 3, 4, 5}, {60, 20, 1, 4}) == ImageLayout::Other);
  CHECK(of({2, 3, 4}, {12, 4, 1}) == ImageLayout::Unknown);
  CHECK(of({0, 3, 4, 5}, {60, 20, 5, 1}) == ImageLayout::Unknown);
}

TEST_CASE("an axis of length 1 does not tell a layout") {
  CHECK(of({1, 3, 4, 5}, {7, 1, 15, 3}) == ImageLayout::ChannelsLast);
  CHECK(of({2, 1, 4, 5}, {20, 1, 5, 1}) == ImageLayout::Either);
  CHECK(of({2, 3, 1, 1}, {3, 1, 1, 1}) == ImageLayout::Either);
  CHECK(of({2, 3, 1, 5}, {15, 1, 15, 3}) == ImageLayout::ChannelsLast);
}

TEST_CASE("strides are written as they were read") {
  const std::vector<std::vector<int64_t>> dims = {{2, 3, 4, 5}, {}, {0, 7}, {8, 3, 1, 1}, {6}},
                                          strides = {{60, 20, 5, 1}, {}, {7, 1}, {3, 1, 3, 3}, {1}};
  OperatorFacts facts;
  facts.inputDims = dims;
  facts.strides = compactStrides(dims, strides);
  CHECK(facts.strides == std::vector<std::vector<int64_t>>{{}, {}, {}, {3, 1, 3, 3}});
  for (size_t operand = 0; operand < dims.size(); ++operand) CHECK(stridesOf(facts, operand) == strides[operand]);
}
