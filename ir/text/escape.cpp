#include "ir/text/escape.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "support/utf8.h"

namespace amdahlc::ir {

namespace {

/// The byte of two hexadecimal digits at the start of `text`.
std::optional<char> hexByte(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  uint8_t byte = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + 2, byte, 16);
  return end == text.data() + 2 ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

}  // namespace

bool isPlainName(std::string_view name) {
  // A lone `_` is an omitted value.
  if (name == "_" || !startsWithPlainName(name)) return false;
  for (size_t i = 1; i < name.size(); ++i) {
    if (!continuesPlainName(name[i])) return false;
    // `//` would start a comment.
    if (name[i] == '/' && name[i - 1] == '/') return false;
  }
  return true;
}

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (const size_t length = utf8::sequenceLength(rest); length > 1 && utf8::controlLength(rest) == 0) {
      out.append(text.substr(i, length));
      i += length;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
    ++i;
  }
  out += '"';
}

void appendName(std::string& out, std::string_view name) {
  if (isPlainName(name))
    out += name;
  else
    appendQuoted(out, name);
}

void appendNumber(std::string& out, double number) {
  if (std::isnan(number) || std::isinf(number)) {
    out += std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
    return;
  }
  char digits[40];
  const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

std::optional<std::string> consumeQuoted(std::string_view& text, UnquoteError& error) {
  if (text.empty() || text.front() != '"') {
    error = {0, "expected a quoted string"};
    return std::nullopt;
  }
  std::string result;
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      text.remove_prefix(i + 1);
      return result;
    }
    if (c == '\n') break;
    if (c != '\\') {
      result += c;
      continue;
    }
    const char escape = i + 1 < text.size() ? text[i + 1] : '\0';
    if (escape == 'n' || escape == 't' || escape == '"' || escape == '\\') {
      result += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
      ++i;
    } else if (const auto byte = escape == 'x' ? hexByte(text.substr(i + 2)) : std::nullopt) {
      result += *byte;
      i += 3;
    } else {
      error = {i, "unknown escape in a string; `\\n`, `\\t`, `\\\"`, `\\\\` and `\\xHH` exist"};
      return std::nullopt;
    }
  }
  error = {0, "string without a closing quote on its line"};
  return std::nullopt;
}

}  // namespace amdahlc::ir
