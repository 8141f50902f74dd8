/// UTF-8 at the level of bytes: well-formed sequences, and the characters that control a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace amdahlc::utf8 {

/// Some editors write it before the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none. A control character is well
/// formed.
size_t sequenceLength(std::string_view text);

/// Whether a sequence, well formed or not, can start with this byte: it does not continue another one.
constexpr bool startsSequence(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

/// The longest beginning of `text` that has at most `bytes` bytes and does not end inside a sequence.
std::string_view beginning(std::string_view text, size_t bytes);

/// Length of the control character at the start of `text`; 0 if there is none. Control characters are C0, DEL, C1
/// (U+0080 to U+009F, which some terminals interpret like escape sequences), and the marks that change the direction
/// of text (U+202A to U+202E, U+2066 to U+2069).
size_t controlLength(std::string_view text);

}  // namespace amdahlc::utf8
