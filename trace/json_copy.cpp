#include "trace/json_copy.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "support/json_text.h"

namespace amdahlc::trace {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether a token is a number or a word of JSON.
bool isJsonToken(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    return at > begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const size_t first = at;
  if (!digits()) return text == "null" || text == "true" || text == "false";
  if (text[first] == '0' && at > first + 1) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

/// The length of the escape at the beginning of `text`; 0 if the backslash escapes nothing.
size_t escapeLength(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] != 'u') return std::string_view(R"("\/bfnrt)").find(text[1]) == std::string_view::npos ? 0 : 2;
  const std::string_view digits = text.substr(2, 4);
  const bool isCode = digits.size() == 4 && digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
  return isCode ? 6 : 0;
}

/// Adds a mend for a string without its quotes if it has a backslash that escapes nothing.
void checkString(std::string_view text, std::vector<JsonMend>& mends) {
  if (text.empty() || std::memchr(text.data(), '\\', text.size()) == nullptr) return;
  std::string mended;
  bool isValid = true;
  for (size_t at = 0; at < text.size();) {
    const size_t escape = text[at] == '\\' ? escapeLength(text.substr(at)) : 1;
    if (escape == 0) {
      isValid = false;
      mended += "\\\\";
      ++at;
      continue;
    }
    mended += text.substr(at, escape);
    at += escape;
  }
  if (!isValid) mends.push_back({text, std::move(mended)});
}

}  // namespace

bool JsonChecker::scalar(JsonCursor& cursor, std::vector<JsonMend>& mends) {
  const bool isString = cursor.peek() == '"';
  std::string_view text;
  if (!cursor.scalar(text)) return false;
  if (isString)
    checkString(text, mends);
  else if (!isJsonToken(text))
    mends.push_back({text, jsonText(text)});
  return true;
}

bool JsonChecker::key(JsonCursor& cursor, std::string_view& key, std::vector<JsonMend>& mends) {
  if (!cursor.string(key) || !cursor.take(':')) return false;
  checkString(key, mends);
  return true;
}

bool JsonChecker::value(JsonCursor& cursor, std::vector<JsonMend>& mends) {
  open_.clear();
  std::string_view ignored;
  for (;;) {
    const char first = cursor.peek();
    bool isEmpty = false;
    if (first == '{' || first == '[') {
      cursor.take(first);
      isEmpty = cursor.take(first == '{' ? '}' : ']');
      if (!isEmpty) {
        open_ += first;
        if (first == '{' && !key(cursor, ignored, mends)) return false;
        continue;
      }
    } else if (!scalar(cursor, mends)) {
      return false;
    }
    // Behind a value: brackets close, until a comma leads to the next one.
    for (;;) {
      if (open_.empty()) return true;
      const bool inObject = open_.back() == '{';
      if (cursor.take(',')) {
        if (inObject && !key(cursor, ignored, mends)) return false;
        break;
      }
      if (!cursor.take(inObject ? '}' : ']')) return false;
      open_.pop_back();
    }
  }
}

std::string jsonText(std::string_view text) {
  return withEscapedControls(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void appendMended(std::string_view text, const std::vector<JsonMend>& mends, std::string& out) {
  const char* copied = text.data();
  for (const JsonMend& mend : mends) {
    out.append(copied, static_cast<size_t>(mend.text.data() - copied));
    out += mend.replacement;
    copied = mend.text.data() + mend.text.size();
  }
  out.append(copied, static_cast<size_t>(text.data() + text.size() - copied));
}

}  // namespace amdahlc::trace
