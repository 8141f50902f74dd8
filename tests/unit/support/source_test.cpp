#include "support/source.h"

#include <doctest/doctest.h>

using namespace amdahlc;

TEST_CASE("offsets become lines and columns, also at the ends") {
  SourceManager sources;
  sources.add("other", "x");
  const BufferId id = sources.add("a.akp", "ab\r\n\ncd");
  CHECK(sources.name(id) == "a.akp");
  const auto at = [&](uint32_t offset) {
    const LineColumn found = sources.lineColumn(id, offset);
    return std::pair(found.line, found.column);
  };
  CHECK(at(0) == std::pair(1u, 1u));
  CHECK(at(3) == std::pair(1u, 4u));
  CHECK(at(4) == std::pair(2u, 1u));
  CHECK(at(6) == std::pair(3u, 2u));
  CHECK(at(7) == std::pair(3u, 3u));
  CHECK(at(1000) == std::pair(3u, 3u));
}

TEST_CASE("a line has no line end, and the text past the last line is empty") {
  SourceManager sources;
  const BufferId id = sources.add("a", "ab\r\n\ncd\n");
  CHECK(sources.line(id, 1) == "ab");
  CHECK(sources.line(id, 2).empty());
  CHECK(sources.line(id, 3) == "cd");
  CHECK(sources.line(id, 4).empty());
  CHECK(sources.line(id, 5).empty());
  CHECK(sources.line(id, 0).empty());
}

TEST_CASE("a part has offsets of its own, and the name, lines and columns of the whole") {
  SourceManager sources;
  const BufferId whole = sources.add("a.air", "ab\ncd ef\ngh");
  const BufferId part = sources.addPart({whole, 6, 10});
  CHECK(sources.name(part) == "a.air");
  CHECK(sources.text(part) == "ef\ng");
  CHECK(std::pair(sources.lineColumn(part, 0).line, sources.lineColumn(part, 0).column) == std::pair(2u, 4u));
  CHECK(std::pair(sources.lineColumn(part, 3).line, sources.lineColumn(part, 3).column) == std::pair(3u, 1u));
  // Behind the part is its end.
  CHECK(std::pair(sources.lineColumn(part, 1000).line, sources.lineColumn(part, 1000).column) == std::pair(3u, 2u));
  CHECK(sources.line(part, 2) == "cd ef");
  CHECK(sources.text(sources.addPart({part, 0, 2})) == "ef");
}

TEST_CASE("a part has a place of its own where the text stands as it is") {
  const std::string_view text = "ab, cd";
  const SourceRange exact = placeOf(text.substr(4), text, {3, 10, 16});
  CHECK(exact.buffer == 3);
  CHECK(std::pair(exact.begin, exact.end) == std::pair(14u, 16u));
  // With escapes it is written longer than it is.
  const SourceRange escaped = placeOf(text.substr(4), text, {3, 10, 18});
  CHECK(std::pair(escaped.begin, escaped.end) == std::pair(10u, 18u));
}
