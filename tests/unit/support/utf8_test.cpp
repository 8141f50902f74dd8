#include "support/utf8.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

using namespace amdahlc;

TEST_CASE("the bytes that start a sequence count the characters of a text") {
  const auto characters = [](std::string_view text) {
    return std::count_if(text.begin(), text.end(), utf8::startsSequence);
  };
  CHECK(characters("") == 0);
  CHECK(characters("us") == 2);
  CHECK(characters("\u00b5s") == 2);
  CHECK(characters("\u20ac \U0001f600") == 3);
}
