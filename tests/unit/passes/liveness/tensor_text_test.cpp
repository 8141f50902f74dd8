#include "passes/liveness/tensor_text.h"

#include <doctest/doctest.h>

#include <limits>

namespace amdahlc {
namespace {

TEST_CASE("bytes have three digits in units of 1024") {
  CHECK(formatBytes(0) == "0 B");
  CHECK(formatBytes(1023) == "1023 B");
  CHECK(formatBytes(1024) == "1.00 KiB");
  CHECK(formatBytes(1536 * 1024) == "1.50 MiB");
  CHECK(formatBytes(int64_t{1} << 34) == "16.0 GiB");
  CHECK(formatBytes(1023 * 1024 + 800) == "1.00 MiB");
  CHECK(formatBytes(std::numeric_limits<int64_t>::max()) == "8.00 EiB");
}

}  // namespace
}  // namespace amdahlc
