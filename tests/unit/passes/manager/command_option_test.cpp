#include "passes/manager/command_option.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

TEST_CASE("values of an option are read exactly, in thousandths, up to its maximum") {
  CommandOption percent;
  percent.maximum = 100;
  CHECK(readValue(percent, "0") == 0);
  CHECK(readValue(percent, "91.667") == 91667);
  CHECK(readValue(percent, "100.000") == 100000);
  for (const char* text : {"", "-1", "100.001", "0.0001", "1/2", "1e1", "90%", "99999999999999999999"})
    CHECK_MESSAGE(!readValue(percent, text), text);
}

TEST_CASE("a number may stand behind the prefix of its option") {
  CommandOption limit;
  limit.maximum = 100;
  limit.isPercent = true;
  CHECK_FALSE(readValue(limit, "kernel:3%"));
  limit.prefix = "kernel:";
  CHECK(readValue(limit, "kernel:3%") == 3000);
  CHECK(hasPrefix(limit, "kernel:3%"));
  CHECK_FALSE(hasPrefix(limit, "3%"));
  for (const char* text : {"kernel:", "kernel:kernel:3", "kernel:-1", "kernels:3", "kernel: 3"})
    CHECK_MESSAGE(!readValue(limit, text), text);
}

TEST_CASE("thousandths are printed without zeros at their end") {
  CHECK(formatThousandths(0) == "0");
  CHECK(formatThousandths(90000) == "90");
  CHECK(formatThousandths(91500) == "91.5");
  CHECK(formatThousandths(7) == "0.007");
}

}  // namespace
}  // namespace amdahlc
