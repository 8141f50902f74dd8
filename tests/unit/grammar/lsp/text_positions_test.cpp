#include "grammar/lsp/text_positions.h"

#include <doctest/doctest.h>

#include <string>

#include "support/utf8.h"

namespace amdahlc::lsp {
namespace {

// One, two, three and four bytes in UTF-8; the last has two units in UTF-16.
const std::string kLetters = "aé€𝔘b";

TEST_CASE("characters count units of UTF-16 or bytes") {
  const TextPositions utf16(kLetters, PositionEncoding::Utf16);
  const TextPositions utf8(kLetters, PositionEncoding::Utf8);
  constexpr uint32_t kOffsets[] = {0, 1, 3, 6, 10, 11};
  constexpr uint32_t kUnits[] = {0, 1, 2, 3, 5, 6};
  for (size_t i = 0; i < std::size(kOffsets); ++i) {
    CHECK(utf16.at(kOffsets[i]) == Position{0, kUnits[i]});
    CHECK(utf16.offset({0, kUnits[i]}) == kOffsets[i]);
    CHECK(utf8.at(kOffsets[i]) == Position{0, kOffsets[i]});
    CHECK(utf8.offset({0, kOffsets[i]}) == kOffsets[i]);
  }
}

TEST_CASE("a place inside a character is its beginning") {
  const TextPositions utf16(kLetters, PositionEncoding::Utf16);
  CHECK(utf16.offset({0, 4}) == 6);
  CHECK(utf16.at(8) == Position{0, 3});
  CHECK(TextPositions(kLetters, PositionEncoding::Utf8).offset({0, 5}) == 3);
}

TEST_CASE("places beyond a line or the text are its end") {
  const TextPositions positions("ab\ncd", PositionEncoding::Utf16);
  CHECK(positions.offset({0, 99}) == 2);
  CHECK(positions.offset({7, 0}) == 5);
  CHECK(positions.at(99) == Position{1, 2});
  CHECK(TextPositions("", PositionEncoding::Utf16).offset({3, 3}) == 0);
}

TEST_CASE("lines end with a line feed, a carriage return, or both") {
  const TextPositions positions("a\r\nb\rc\n\nd", PositionEncoding::Utf16);
  CHECK(positions.at(3) == Position{1, 0});
  CHECK(positions.at(5) == Position{2, 0});
  CHECK(positions.at(8) == Position{4, 0});
  CHECK(positions.offset({0, 9}) == 1);
  CHECK(positions.offset({3, 0}) == 7);
  // Between the two signs is the end of the line.
  CHECK(positions.at(2) == Position{0, 1});
}

TEST_CASE("long lines are like short ones") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += i % 1000 == 999 ? "\r\n" : kLetters;
  for (const PositionEncoding encoding : {PositionEncoding::Utf8, PositionEncoding::Utf16}) {
    const TextPositions positions(text, encoding);
    Position expected;
    for (uint32_t offset = 0; offset < text.size();) {
      const bool ends = text[offset] == '\r';
      CHECK(positions.at(offset) == expected);
      CHECK(positions.offset(expected) == offset);
      const uint32_t bytes = ends ? 2 : static_cast<uint32_t>(utf8::sequenceLength(text.substr(offset, 4)));
      expected.character += encoding == PositionEncoding::Utf8 ? bytes : bytes == 4 ? 2 : 1;
      if (ends) expected = {expected.line + 1, 0};
      offset += bytes;
    }
  }
}

TEST_CASE("a byte that is not UTF-8 is a character") {
  const TextPositions positions("\xff\xff|", PositionEncoding::Utf16);
  CHECK(positions.at(2) == Position{0, 2});
  CHECK(positions.offset({0, 1}) == 1);
}

}  // namespace
}  // namespace amdahlc::lsp
