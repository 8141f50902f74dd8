
#include <doctest/doctest.h>

#include "support/bytes.h"

#include <limits>

using amdahlc::formatByteRate;
using amdahlc::formatBytesExactly;
using amdahlc::formatBytesRounded;
using amdahlc::parseByteRate;

TEST_CASE("rounded bytes have three digits in units of 1024") {
  CHECK(formatBytesRounded(0) == "0 B");
  CHECK(formatBytesRounded(1023) == "1023 B");
  CHECK(formatBytesRounded(1024) == "1.00 KiB");
  CHECK(formatBytesRounded(1536 * 1024) == "1.50 MiB");
  CHECK(formatBytesRounded(int64_t{1} << 34) == "16.0 GiB");
  CHECK(formatBytesRounded(1023 * 1024 + 800) == "1.00 MiB");
  CHECK(formatBytesRounded(std::numeric_limits<int64_t>::max()) == "8.00 EiB");
}

TEST_CASE("exact bytes have the largest unit that divides them") {
  CHECK(formatBytesExactly(uint64_t{3} << 30) == "3 GiB");
  CHECK(formatBytesExactly(uint64_t{512} << 20) == "512 MiB");
  CHECK(formatBytesExactly((uint64_t{1} << 20) + 1) == "1048577 bytes");
}

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
