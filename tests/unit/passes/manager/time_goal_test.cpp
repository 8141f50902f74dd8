#include "passes/manager/options.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

TEST_CASE("a goal is a time with its unit, or a factor") {
  CHECK(parseTimeGoal("8ms") == TimeGoal{8'000'000, std::nullopt});
  CHECK(parseTimeGoal("1.5 us") == TimeGoal{1'500, std::nullopt});
  CHECK(parseTimeGoal("0") == TimeGoal{0, std::nullopt});
  CHECK(parseTimeGoal("1.5x") == TimeGoal{std::nullopt, Rational{3, 2}});
  CHECK(parseTimeGoal("4/3x") == TimeGoal{std::nullopt, Rational{4, 3}});
  for (const char* const text : {"", "8", "x", "0x", "-1ms", "-2x", "1.5", "fast", "2xx", "1e3"})
    CHECK(!parseTimeGoal(text));
}

}  // namespace
}  // namespace amdahlc
