#include "support/decimal_time.h"

#include <doctest/doctest.h>

#include <string>

using amdahlc::formatUs;
using amdahlc::parseDecimalNs;
using amdahlc::parseDuration;
using amdahlc::roundedNs;

TEST_CASE("absolute epoch microseconds keep every nanosecond") {
  CHECK(parseDecimalNs("1712345678901234.567", 1000) == 1712345678901234567);
  CHECK(parseDecimalNs("0.001", 1000) == 1);
  CHECK(parseDecimalNs("-3", 1000) == -3000);
  CHECK(parseDecimalNs("17e2", 1000) == 1700000);
  CHECK(parseDecimalNs("1.7e-2", 1000) == 17);
  CHECK(parseDecimalNs("9223372036854775.807", 1000) == INT64_MAX);
}

TEST_CASE("nanoseconds with fractions are rounded, and stay in 64 bits") {
  CHECK(roundedNs(1.5) == 2);
  CHECK(roundedNs(-1.4) == -1);
  CHECK(roundedNs(1.84e19) > 9'200'000'000'000'000'000);
  CHECK(roundedNs(-1e300) < -9'200'000'000'000'000'000);
}

TEST_CASE("digits below a nanosecond are rounded half to even") {
  CHECK(parseDecimalNs("0.0005", 1000) == 0);
  CHECK(parseDecimalNs("0.0015", 1000) == 2);
  CHECK(parseDecimalNs("0.0025", 1000) == 2);
  CHECK(parseDecimalNs("0.00250000000000000000000000000000000001", 1000) == 3);
  CHECK(parseDecimalNs("0.00049999999999999999999999999999999999", 1000) == 0);
}

TEST_CASE("text that is not a number, or does not fit, is refused, with any exponent") {
  for (const char* text : {"", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "nan", "1 ", "1..2", "--1"})
    CHECK_MESSAGE(!parseDecimalNs(text, 1000), text);
  CHECK(!parseDecimalNs("9223372036854775.808", 1000));
  CHECK(!parseDecimalNs("1e999999999999", 1));
  CHECK(parseDecimalNs("1e-999999999999", 1) == 0);
  CHECK(parseDecimalNs("0e999999999999", 1) == 0);
  CHECK(!parseDecimalNs(std::string(200000, '9'), 1));
  CHECK(parseDecimalNs("0." + std::string(50000, '0') + "1e50001", 1) == 1);
}

TEST_CASE("durations need a unit") {
  CHECK(parseDuration("10us") == 10000);
  // The fourth decimal is beyond what the fast path may add up.
  CHECK(parseDuration("2114746834841348.6473us") == 2114746834841348647);
  CHECK(parseDuration("1.5 ms") == 1500000);
  CHECK(parseDuration("300ns") == 300);
  CHECK(parseDuration("2s") == 2000000000);
  CHECK(parseDuration("4\u00b5s") == 4000);
  CHECK(!parseDuration("10"));
  CHECK(!parseDuration("-1us"));
  CHECK(!parseDuration("us"));
  CHECK(!parseDuration("1 minute"));
}

TEST_CASE("a whole number is nothing but digits") {
  CHECK(parseWhole("0") == 0);
  CHECK(parseWhole("-12") == -12);
  CHECK(parseWhole("9223372036854775807") == INT64_MAX);
  for (const char* text : {"", "-", "+1", "1.0", "1e3", " 1", "1 ", "9223372036854775808"})
    CHECK_MESSAGE(!parseWhole(text), text);
}

TEST_CASE("a unit may be larger than what a number with many digits leaves room for") {
  constexpr UnitSuffix kUnits[] = {{"P", 1'000'000'000'000'000}};
  CHECK(parseInUnits("1.9795 P", kUnits) == 1'979'500'000'000'000);
  CHECK(parseInUnits("0.0000000000000015P", kUnits) == 2);
  CHECK(parseInUnits("1.000000000000000500000000000000000000001P", kUnits) == 1'000'000'000'000'001);
  CHECK(parseInUnits("9223P", kUnits) == 9223 * kUnits[0].size);
  CHECK(!parseInUnits("9224P", kUnits));
}

TEST_CASE("microseconds are printed without loss") {
  CHECK(formatUs(1234567) == "1234.567");
  CHECK(formatUs(-5) == "-0.005");
  CHECK(formatUs(INT64_MIN) == "-9223372036854775.808");
}
