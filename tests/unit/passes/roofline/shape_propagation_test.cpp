#include "passes/roofline/shape_propagation.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

namespace amdahlc {
namespace {

std::vector<ir::Dim> dimsOf(std::initializer_list<int64_t> numbers) {
  std::vector<ir::Dim> dims;
  for (const int64_t number : numbers) dims.push_back(ir::Dim::of(number));
  return dims;
}

/// `16,?,64`; `none` where the model's dimensions are no regrouping.
std::string regrouped(std::initializer_list<int64_t> from, std::initializer_list<int64_t> to,
                      std::initializer_list<int64_t> run, const std::set<DimChange>& changes) {
  const auto dims = regroupedDims(dimsOf(from), dimsOf(to), dimsOf(run), changes);
  if (!dims) return "none";
  std::string text;
  for (const ir::Dim& dim : *dims)
    text += (text.empty() ? "" : ",") + (dim.isNumber() ? std::to_string(dim.value) : std::string("?"));
  return text;
}

TEST_CASE("a dimension that is split grows where an input of the model did") {
  const std::set<DimChange> batch = {{1, 16}};
  CHECK(regrouped({1, 50, 192}, {1, 50, 3, 64}, {16, 50, 192}, batch) == "16,50,3,64");
  CHECK(regrouped({3, 64, 50}, {1, 3, 64, 50}, {48, 64, 50}, batch) == "16,3,64,50");
  CHECK(regrouped({4, 8}, {4, 2, 4}, {6, 8}, {{4, 6}}) == "6,2,4");
  CHECK(regrouped({32, 64}, {1, 32, 64}, {192, 64}, {{1, 4}, {32, 48}}) == "4,48,64");
}

TEST_CASE("dimensions that are joined are a product") {
  CHECK(regrouped({1, 3, 50, 64}, {3, 50, 64}, {16, 3, 50, 64}, {{1, 16}}) == "48,50,64");
  CHECK(regrouped({1, 8, 7, 7}, {1, 392}, {2, 8, 9, 9}, {{1, 2}}) == "2,648");
  CHECK(regrouped({2, 1}, {2}, {2, 5}, {{1, 5}}) == "10");
}

TEST_CASE("what nothing tells is unknown, and what did not change stays") {
  CHECK(regrouped({4, 9}, {2, 2, 9}, {20, 9}, {{7, 8}}) == "?,?,9");
  CHECK(regrouped({4, 9}, {2, 2, 9}, {4, 11}, {{9, 11}}) == "2,2,11");
  CHECK(regrouped({4, 9}, {5, 7}, {4, 11}, {}) == "none");
  CHECK(regrouped({0, 9}, {9, 0}, {0, 11}, {}) == "none");
}

}  // namespace
}  // namespace amdahlc
