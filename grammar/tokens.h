/// The tokens of a rule file, for tools that look at text that may not parse.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace amdahlc::grammar {

struct Token {
  enum class Kind : uint8_t { Keyword, Name, Number, String, Regex, Mark, DocComment, Other };
  Kind kind = Kind::Other;
  /// Bytes of the text.
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The tokens in the order of the text, without comments except doc comments. A word that is a keyword somewhere is a
/// keyword everywhere.
std::vector<Token> tokenize(std::string_view text);

}  // namespace amdahlc::grammar
