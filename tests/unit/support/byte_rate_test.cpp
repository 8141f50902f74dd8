#include "support/byte_rate.h"

#include <doctest/doctest.h>

using amdahlc::formatByteRate;
using amdahlc::parseByteRate;

TEST_CASE("a rate has a number and a unit") {
  CHECK(parseByteRate("12GB/s") == 12'000'000'000);
  CHECK(parseByteRate("1.5 GB/s") == 1'500'000'000);
  CHECK(parseByteRate("800MB/s") == 800'000'000);
  CHECK(parseByteRate("2kB/s") == 2000);
  CHECK(parseByteRate("16GiB/s") == int64_t{16} << 30);
  CHECK(parseByteRate("7B/s") == 7);
  for (const char* text : {"", "12", "GB/s", "-1GB/s", "12GB", "12 GB / s", "1e30GB/s", "0x1B/s"})
    CHECK_MESSAGE(!parseByteRate(text), text);
}

TEST_CASE("a rate is written in the largest unit that gives a whole number") {
  CHECK(formatByteRate(12'000'000'000) == "12GB/s");
  CHECK(formatByteRate(1'500'000'000) == "1500MB/s");
  CHECK(formatByteRate(1) == "1B/s");
  CHECK(formatByteRate(100'000'000'000'000) == "100000GB/s");
}
