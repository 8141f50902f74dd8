/// Words and marks of other languages that are written in rule files by mistake.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::grammar {

/// The token types that may be meant, the most likely first. A word may also be a misspelled keyword.
std::vector<size_t> meantBy(std::string_view written);
/// The same for a word that is near to keywords.
std::vector<size_t> keywordsNear(std::string_view word);

/// What stands between single quotes as a string of the language.
std::string inDoubleQuotes(std::string_view text);

/// The name of the element type that other tools call `written`: `float16` for `fp16`; empty if there is none.
std::string_view elementTypeMeantBy(std::string_view written);

}  // namespace amdahlc::grammar
