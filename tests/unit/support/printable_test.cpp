#include "support/printable.h"

#include <doctest/doctest.h>

using namespace amdahlc;

TEST_CASE("control characters of a name are question marks; text in any script stays") {
  CHECK(printable("a\x1b[2J\nb\r\x07\x7f\tc") == "a?[2J?b????c");
  CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
  CHECK(printable("a\u009b2Jb\u202ec\u2066d") == "a?2Jb?c?d");
  CHECK(printable("größe \u00b5s") == "größe \u00b5s");
}

TEST_CASE("characters are replaced, each by itself") {
  CHECK(replaced("a<b&c", {{'<', "&lt;"}, {'&', "&amp;"}}) == "a&lt;b&amp;c");
  CHECK(replaced("`a`", {{'`', ""}}) == "a");
}
