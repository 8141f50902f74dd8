/// Makes names from input files safe to print in tables and messages.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc {

/// `text` on one line: every control character, and every byte that is not UTF-8, is a question mark, so that a name
/// cannot clear the screen, forge a line or change the direction of text.
std::string printable(std::string_view text);

}  // namespace amdahlc
