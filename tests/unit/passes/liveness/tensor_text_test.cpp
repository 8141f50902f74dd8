#include "passes/liveness/tensor_text.h"

#include <doctest/doctest.h>

#include <limits>

namespace amdahlc {
namespace {

TEST_CASE("bytes have three digits in units of 1024") {
  CHECK(shownBytes(0) == "0 B");
  CHECK(shownBytes(1023) == "1023 B");
  CHECK(shownBytes(1024) == "1.00 KiB");
  CHECK(shownBytes(1536 * 1024) == "1.50 MiB");
  CHECK(shownBytes(int64_t{1} << 34) == "16.0 GiB");
  CHECK(shownBytes(1023 * 1024 + 800) == "1.00 MiB");
  CHECK(shownBytes(std::numeric_limits<int64_t>::max()) == "8.00 EiB");
}

}  // namespace
}  // namespace amdahlc
