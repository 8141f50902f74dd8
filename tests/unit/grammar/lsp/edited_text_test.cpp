#include "grammar/lsp/edited_text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

namespace amdahlc::lsp {
namespace {

/// The same change of the whole text, by the places of TextPositions.
void applyTo(std::string& text, const TextChange& change, PositionEncoding encoding) {
  const TextPositions positions(text, encoding);
  const auto [begin, end] = std::minmax({positions.offset(change.range->start), positions.offset(change.range->end)});
  text.replace(begin, end - begin, change.text);
}

TEST_CASE("changes one after the other are those of the whole text") {
  const std::vector<std::string> parts{
      "a", "é", "€", "𝔘", "\n", "\r", "\r\n", "", "bcd ", std::string(700, 'x'), std::string(5000, '\n')};
  std::mt19937 random(1);
  const auto below = [&](size_t count) { return static_cast<uint32_t>(random() % count); };
  for (const PositionEncoding encoding : {PositionEncoding::Utf8, PositionEncoding::Utf16})
    for (int run = 0; run < 40; ++run) {
      std::string expected;
      // Lines of all lengths, so that some have many pieces and some pieces have many lines.
      for (int i = 0; i < 400; ++i) expected += parts[below(run % 2 == 0 ? 4 : parts.size())];
      EditedText edited(expected, encoding);
      for (int i = 0; i < 60; ++i) {
        const uint32_t lines = below(5) == 0 ? 1 : 1 + static_cast<uint32_t>(std::ranges::count(expected, '\n'));
        const auto position = [&] { return Position{below(lines + 1), below(3) == 0 ? below(9000) : below(4)}; };
        const Position start = position();
        TextChange change{TextChange::Range{start, below(2) == 0 ? start : position()}, parts[below(parts.size())]};
        if (below(3) != 0 && change.range->end.line > start.line + 3) change.range->end = start;
        applyTo(expected, change, encoding);
        edited.apply(change);
        REQUIRE(edited.text() == expected);
        REQUIRE(edited.size() == expected.size());
      }
    }
}

TEST_CASE("a change without a range replaces the text") {
  EditedText edited("a\nb", PositionEncoding::Utf16);
  edited.apply({std::nullopt, ""});
  CHECK(edited.text().empty());
  edited.apply({TextChange::Range{{3, 4}, {0, 0}}, "c"});
  CHECK(edited.text() == "c");
}

}  // namespace
}  // namespace amdahlc::lsp
