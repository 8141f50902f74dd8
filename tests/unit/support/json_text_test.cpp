#include "support/json_text.h"

#include <doctest/doctest.h>

using amdahlc::withEscapedControls;

TEST_CASE("controls that JSON allows inside strings become escapes") {
  CHECK(withEscapedControls("[\"a\x7F\", \"\xC2\x9B\", \"\xE2\x80\xAE\"]") == R"(["a\u007f", "\u009b", "\u202e"])");
  CHECK(withEscapedControls("\xE2\x81\xA9") == "\\u2069");
}

TEST_CASE("all other text stays as it is") {
  CHECK(withEscapedControls("{\n \"\xC3\xA9\": \"\xE2\x82\xAC\\u001b\"\n}") ==
        "{\n \"\xC3\xA9\": \"\xE2\x82\xAC\\u001b\"\n}");
  CHECK(withEscapedControls("").empty());
  // A sequence that ends early.
  CHECK(withEscapedControls("\xE2\x80") == "\xE2\x80");
}
