#include "ir/text/rule_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ranges>

#include <fmt/format.h>

#include "ir/domain.h"
#include "ir/text/escape.h"
#include "support/utf8.h"

namespace amdahlc::ir {
namespace {

// In the order of the grammar.
constexpr std::array<std::string_view, 38> kKeywords{
    "akp",      "anchor",  "and", "arch",     "as",        "but",    "category", "class",    "const",     "disable",
    "evidence", "false",   "for", "fragment", "generated", "hidden", "import",   "in",       "kernel",    "label",
    "lower",    "match",   "not", "nothing",  "on",        "op",     "or",       "priority", "recompute", "refine",
    "runs",     "runtime", "set", "shared",   "true",      "vendor", "views",    "where"};
// Those that are no names of operators, values or parts of domains.
constexpr std::array<std::string_view, 10> kReserved{"and",   "as",  "const", "false", "in",
                                                     "match", "not", "or",    "true",  "where"};

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isDigitOf(char c) { return c >= '0' && c <= '9'; }

bool isIdentifier(std::string_view text) {
  return !text.empty() && isLetter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return isLetter(c) || isDigitOf(c); }) &&
         std::ranges::find(kReserved, text) == kReserved.end();
}

/// `com.microsoft`, or in quotes.
std::string domainWord(std::string_view domain) {
  const auto isPart = [](const auto& part) { return isIdentifier(std::string_view(part.begin(), part.end())); };
  return std::ranges::all_of(std::views::split(domain, '.'), isPart) ? std::string(domain) : quotedString(domain);
}

/// Appends a character of a regular expression. Control characters, and marks that change the direction of text, are
/// written as numbers; returns how many bytes it was.
size_t appendOfRegex(std::string& out, std::string_view rest) {
  const size_t length = utf8::controlLength(rest);
  if (length == 0) {
    out += rest.front();
    return 1;
  }
  uint32_t code = 0;
  for (size_t i = 0; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(rest[i]);
    const uint32_t bits = length == 1 ? byte : i > 0 ? byte & 0x3Fu : byte & (0x7Fu >> length);
    code = (code << 6) | bits;
  }
  out += fmt::format("\\x{{{:x}}}", code);
  return length;
}

}  // namespace

bool isRuleKeyword(std::string_view word) { return std::ranges::find(kKeywords, word) != kKeywords.end(); }

std::string ruleName(std::string_view name) {
  // Parts of letters, digits and `_`, with `-` between them; a number that a part begins with would be a token of its
  // own.
  bool atStart = true, plain = !name.empty();
  for (const char c : name) {
    plain = plain && (isLetter(c) || (!atStart && (c == '-' || isDigitOf(c))));
    atStart = c == '-';
  }
  return plain && !atStart ? std::string(name) : quotedString(name);
}

std::string quotedString(std::string_view text) {
  std::string out;
  appendQuoted(out, text);
  return out;
}

std::string regexLiteral(std::string_view regex) {
  std::string out = "/";
  for (size_t i = 0; i < regex.size();) {
    const bool escapes = regex[i] == '\\' && i + 1 < regex.size();
    // What stands for a control character needs no backslash of its own.
    if (escapes && utf8::controlLength(regex.substr(i + 1)) == 0)
      out += regex[i++];
    else if (escapes)
      ++i;
    else if (regex[i] == '/')
      out += '\\';
    i += appendOfRegex(out, regex.substr(i));
  }
  return out + "/";
}

std::string regexThatFinds(std::string_view text) {
  static constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}";
  std::string regex;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) regex += '\\';
    regex += c;
  }
  return regex;
}

std::string countText(uint32_t min, uint32_t max) {
  if (min == 1 && max == 1) return "";
  if (max == 0 && min <= 1) return min == 0 ? "*" : "+";
  const std::string least = std::to_string(min);
  if (max == 0) return '{' + least + ",}";
  return min == max ? '{' + least + '}' : '{' + least + ',' + std::to_string(max) + '}';
}

std::string operatorWord(const OperatorName& name) {
  if (name.domain == "*") return name.type == "*" ? "_" : "*::" + name.type;
  const bool bare = name.domain.empty() && name.type != "*" && !name.type.starts_with(kViewClass) &&
                    std::islower(static_cast<unsigned char>(name.type.empty() ? 'a' : name.type[0])) == 0;
  return bare ? name.type : domainWord(describeDomain(name.domain)) + "::" + name.type;
}

std::string describe(const OperatorSet& set) {
  static constexpr size_t kMostListed = 3;
  const auto listed = [](const std::vector<OperatorName>& names) {
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
      if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
      text += names[i] == OperatorName{"*", "*"}
                  ? "any operator"
                  : "`" + (names[i].domain.empty() ? "" : names[i].domain + "::") + names[i].type + "`";
    }
    return names.size() > kMostListed ? text + " or " + std::to_string(names.size() - kMostListed) + " more" : text;
  };
  const std::string any = set.any.empty() ? "any operator" : listed(set.any);
  return set.none.empty() ? any : any + " but " + listed(set.none);
}

}  // namespace amdahlc::ir
