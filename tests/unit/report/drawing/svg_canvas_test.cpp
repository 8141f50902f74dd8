#include "report/drawing/svg_canvas.h"

#include <doctest/doctest.h>

#include "support/characters.h"

using namespace amdahlc;           // NOLINT(google-build-using-namespace)
using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

TEST_CASE("no text is markup") { CHECK(escaped("<a b='\"&\">") == "&lt;a b=&#39;&quot;&amp;&quot;&gt;"); }

TEST_CASE("a long text loses its middle, by characters") {
  CHECK(shortened("abcdefghij", 10) == "abcdefghij");
  CHECK(shortened("abcdefghijk", 5) == "ab\u2026jk");
  CHECK(shortened("\u00e4\u00e4\u00e4\u00e4", 3) == "\u00e4\u2026\u00e4");
}

TEST_CASE("lines end at spaces where there are some") {
  CHECK(utf8::wrapped("one two three", 8) == std::vector<std::string>{"one two", "three"});
  CHECK(utf8::wrapped("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
  CHECK(utf8::wrapped("", 3) == std::vector<std::string>{""});
}

TEST_CASE("wide characters take more room") { CHECK(widthOf("mm", 10) > widthOf("ii", 10)); }

}  // namespace
