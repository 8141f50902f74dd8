/// Names of the text form: which need quotes. Strings of the text form and of rules: how bytes are escaped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc::ir {

/// Whether a name is written without quotes: an optional `/`, then a letter or `_`, then letters, digits, `_`, `.`,
/// `/`, `-`, `$`. All others, `_` alone and names with `//` (a comment) are quoted.
bool isPlainName(std::string_view name);
inline bool startsPlainName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// Whether a name that needs no quotes starts `text`.
inline bool startsWithPlainName(std::string_view text) {
  if (text.starts_with('/')) text.remove_prefix(1);
  return !text.empty() && startsPlainName(text.front());
}
inline bool continuesPlainName(char c) {
  return startsPlainName(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-' || c == '$';
}

/// Appends `text` in double quotes. `\n`, `\t`, `\"`, `\\` and `\xHH` are the escapes; well-formed UTF-8 is kept as it
/// is, except control characters.
void appendQuoted(std::string& out, std::string_view text);
/// Appends a plain name as it is, and any other name quoted.
void appendName(std::string& out, std::string_view name);

/// Shortest digits that read back as the same number, with a point or an exponent: `1.0`, `1e-05`, `-inf`, `nan`.
void appendNumber(std::string& out, double number);

/// The place of an error in a quoted string.
struct UnquoteError {
  size_t offset = 0;
  const char* what = "";
};
/// Reads a quoted string at the start of `text` and drops it from there. On an error nothing is consumed and `error`
/// says why.
std::optional<std::string> consumeQuoted(std::string_view& text, UnquoteError& error);

}  // namespace amdahlc::ir
