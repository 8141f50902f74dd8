/// Finds words of a text by how they begin.
#pragma once

#include <string_view>

#include "support/case_folding.h"

namespace amdahlc {

constexpr bool isLetterOrDigit(char c) { return (c >= '0' && c <= '9') || (toLower(c) >= 'a' && toLower(c) <= 'z'); }

/// Whether a word of `text` begins with `part`, in any case. A word begins behind what is no letter and no digit.
constexpr bool hasWordThatBegins(std::string_view text, std::string_view part) {
  for (size_t at = 0; at + part.size() <= text.size(); ++at)
    if ((at == 0 || !isLetterOrDigit(text[at - 1])) && equalIgnoringCase(text.substr(at, part.size()), part))
      return true;
  return false;
}

}  // namespace amdahlc
