#include "grammar/lsp/protocol.h"

#include <doctest/doctest.h>

using amdahlc::lsp::withoutLoneSurrogates;

TEST_CASE("halves of pairs become the replacement character, pairs and other escapes stay") {
  CHECK(withoutLoneSurrogates(R"("a\ud83d\n")") == R"("a\ufffd\n")");
  CHECK(withoutLoneSurrogates(R"("\ude00\ud83d\ude00\ud83d")") == R"("\ufffd\ud83d\ude00\ufffd")");
  CHECK(withoutLoneSurrogates(R"("\ud83d\ud83d\ude00")") == R"("\ufffd\ud83d\ude00")");
  // An escaped backslash, and what is no escape.
  CHECK(withoutLoneSurrogates(R"("\\ud83d \u00e4 \ud8")") == R"("\\ud83d \u00e4 \ud8")");
  CHECK(withoutLoneSurrogates("\\") == "\\");
}
