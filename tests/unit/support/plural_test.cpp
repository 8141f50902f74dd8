#include "support/plural.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

using namespace amdahlc;

TEST_CASE("a count other than one takes the plural of its noun") {
  CHECK(plural(0, "kernel") == "0 kernels");
  CHECK(plural(size_t{1}, "device event") == "1 device event");
  CHECK(plural(int64_t{-1}, "node") == "-1 nodes");
  CHECK(plural(2u, "other path") == "2 other paths");
}
