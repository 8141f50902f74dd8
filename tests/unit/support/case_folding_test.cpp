#include "support/case_folding.h"

#include <doctest/doctest.h>

using namespace amdahlc;

TEST_CASE("case is that of ASCII, independent of the locale") {
  CHECK(toLower(std::string_view("SM_90-\xC4Z")) == "sm_90-\xC4z");
  CHECK(equalIgnoringCase("NVIDIA", "nvidia"));
  CHECK_FALSE(equalIgnoringCase("nvidia", "nvidi"));
  CHECK_FALSE(equalIgnoringCase("\xC4", "\xE4"));
}
