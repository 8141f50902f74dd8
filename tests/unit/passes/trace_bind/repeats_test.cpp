#include "passes/trace_bind/repeats.h"

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

TEST_CASE("what repeats is the forward, not its layers") {
  CHECK(repetitionLag(repeated(4), 1) == forward().size());
  CHECK(repetitionLag(repeated(2), 1) == forward().size());
}

TEST_CASE("a repetition is no shorter than a forward") {
  CHECK(repetitionLag(std::vector<uint32_t>(500, 7), 1) == 1);
  CHECK_FALSE(repetitionLag(std::vector<uint32_t>(500, 7), 2));
  CHECK_FALSE(repetitionLag(repeated(4), forward().size() + 1));
}

TEST_CASE("a sequence that does not repeat has no lag") {
  std::vector<uint32_t> sequence;
  for (uint32_t i = 0; i < 200; ++i) sequence.push_back(i * i % 211);
  CHECK_FALSE(repetitionLag(sequence, 1));
  CHECK_FALSE(repetitionLag({}, 1));
  CHECK_FALSE(repetitionLag(std::vector<uint32_t>{1, 2, 3}, 1));
}

TEST_CASE("repetitions begin where their begin is found, near the lag") {
  std::vector<uint32_t> sequence = repeated(3);
  const size_t lag = forward().size();
  CHECK(repetitionBegins(sequence, 0, lag) == std::vector<size_t>{0, lag, 2 * lag});
  CHECK(repetitionBegins(sequence, 5, lag) == std::vector<size_t>{5, 5 + lag, 5 + 2 * lag});
  sequence.insert(sequence.begin() + 30, 77);  // a copy that only the first one has
  CHECK(repetitionBegins(sequence, 0, lag) == std::vector<size_t>{0, lag + 1, 2 * lag + 1});
}

}  // namespace
}  // namespace amdahlc::binding
