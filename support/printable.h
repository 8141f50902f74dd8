/// Makes texts safe to print in tables and messages, and in formats in which some characters have a meaning.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace amdahlc {

/// `text` on one line: every control character, and every byte that is not UTF-8, is a question mark, so that a name
/// cannot clear the screen, forge a line or change the direction of text.
std::string printable(std::string_view text);

/// `text` with other texts for some of its characters, such as escapes of the format that it is written in.
std::string replaced(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> replacements);

}  // namespace amdahlc
