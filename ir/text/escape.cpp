#include "ir/text/escape.h"

#include "support/utf8.h"

namespace amdahlc::ir {

namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
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
  static constexpr char kHex[] = "0123456789abcdef";
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
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
    ++i;
  }
  out += '"';
}

void appendName(std::string& out, std::string_view name) {
  if (isPlainName(name)) {
    out += name;
  } else {
    appendQuoted(out, name);
  }
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
    } else if (escape == 'x' && i + 3 < text.size() && hexDigit(text[i + 2]) >= 0 && hexDigit(text[i + 3]) >= 0) {
      result += static_cast<char>(hexDigit(text[i + 2]) * 16 + hexDigit(text[i + 3]));
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
