#include "passes/trace_bind/repeats.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace amdahlc::binding {
namespace {

/// A begin, twelve equal layers of five elements, and an end.
std::vector<uint32_t> forward() {
  std::vector<uint32_t> sequence{90, 91};
  for (int layer = 0; layer < 12; ++layer) sequence.insert(sequence.end(), {1, 2, 3, 2, 4});
  sequence.insert(sequence.end(), {92, 93, 94});
  return sequence;
}

std::vector<uint32_t> repeated(int times) {
  std::vector<uint32_t> sequence;
  for (int i = 0; i < times; ++i) {
    const auto one = forward();
    sequence.insert(sequence.end(), one.begin(), one.end());
  }
  return sequence;
}

using Places = std::vector<size_t>;

TEST_CASE("what repeats is the forward, not its layers") {
  const size_t length = forward().size();
  CHECK(repetitions(repeated(4), 30) == Places{0, length, 2 * length, 3 * length});
  CHECK(repetitions(repeated(2), 30) == Places{0, length});
}

TEST_CASE("what runs before the first forward and between forwards is no part of them") {
  std::vector<uint32_t> sequence = repeated(3);
  const size_t length = forward().size();
  sequence.insert(sequence.begin() + static_cast<ptrdiff_t>(length), {71, 72, 73});
  sequence.insert(sequence.begin(), {81, 82, 83, 84, 85});
  CHECK(repetitions(sequence, 30) == Places{5, 5 + length + 3, 5 + 2 * length + 3});
}

TEST_CASE("a call more in a forward does not matter") {
  std::vector<uint32_t> sequence = repeated(4);
  const size_t length = forward().size();
  sequence.insert(sequence.begin() + 40, 77);
  CHECK(repetitions(sequence, 30) == Places{0, length + 1, 2 * length + 1, 3 * length + 1});
}

TEST_CASE("a part that occurs twice in a forward by chance does not count") {
  std::vector<uint32_t> one;
  for (uint32_t i = 0; i < 100; ++i) one.push_back(i);
  std::copy(one.begin() + 5, one.begin() + 20, one.begin() + 60);
  std::vector<uint32_t> sequence;
  for (int i = 0; i < 3; ++i) sequence.insert(sequence.end(), one.begin(), one.end());
  CHECK(repetitions(sequence, 30) == Places{0, 100, 200});
}

TEST_CASE("no repetition is shorter than a forward") {
  CHECK(repetitions(std::vector<uint32_t>(500, 7), 2).empty());
  CHECK(repetitions(repeated(4), forward().size() + 1).empty());
}

TEST_CASE("a sequence without equal parts does not repeat") {
  std::vector<uint32_t> sequence;
  for (uint32_t i = 0; i < 200; ++i) sequence.push_back(i * i % 211);
  CHECK(repetitions(sequence, 1).empty());
  CHECK(repetitions({}, 1).empty());
  CHECK(repetitions(std::vector<uint32_t>{1, 2, 3}, 1).empty());
}

}  // namespace
}  // namespace amdahlc::binding
