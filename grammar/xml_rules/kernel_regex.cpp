#include "grammar/xml_rules/kernel_regex.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc::grammar::xml_rules {
namespace {

using Kind = RegexNode::Kind;

// RE2's own limit.
constexpr uint32_t kRepetitionsOfRe2 = 1000;

SymbolSet symbolsWhere(bool (*test)(unsigned char)) {
  SymbolSet out;
  for (unsigned char c = 0; c < kOtherSymbol; ++c)
    if (c != '\n' && test(c)) out.set(c);
  return out;
}

std::optional<SymbolSet> classOf(char letter) {
  const auto set = [&]() -> std::optional<SymbolSet> {
    switch (letter) {
      case 'd':
      case 'D':
        return symbolsWhere([](unsigned char c) { return c >= '0' && c <= '9'; });
      case 'w':
      case 'W':
        return symbolsWhere([](unsigned char c) { return isWordSymbol(c); });
      case 's':
      case 'S':
        return symbolsWhere([](unsigned char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; });
      default:
        return std::nullopt;
    }
  }();
  if (set && letter < 'a') return anySymbol() & ~*set;
  return set;
}

/// A character as RE2 reads it outside of brackets, between the slashes of `.akp`.
std::string quoted(unsigned char c, bool inBrackets) {
  constexpr std::string_view kOutside = "\\.+*?()|[]{}^$/", kInside = "\\[]^-/";
  if (std::iscntrl(c) != 0) return fmt::format("\\x{:02x}", c);
  const bool special = (inBrackets ? kInside : kOutside).find(static_cast<char>(c)) != std::string_view::npos;
  return (special ? "\\" : "") + std::string(1, static_cast<char>(c));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::variant<KernelRegex, RegexFault> run() {
    KernelRegex regex;
    try {
      if (text_.size() > limits::kXmlRegexBytes)
        fail(0, text_.size(),
             fmt::format("the regular expression has {} bytes, more than {}", text_.size(), limits::kXmlRegexBytes));
      globalFlags(regex);
      regex.root = alternatives(0);
      if (at_ < text_.size()) fail(at_, at_ + 1, "`)` without `(`");
      if (regex.ignoreCase) foldCase(regex.root);
    } catch (RegexFault& fault) {
      return std::move(fault);
    }
    return regex;
  }

 private:
  [[noreturn]] static void fail(size_t begin, size_t end, std::string message) {
    throw RegexFault{std::move(message), static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  bool atEnd() const { return at_ >= text_.size(); }
  char peek() const { return atEnd() ? '\0' : text_[at_]; }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  /// `(?i)` and the like, which Python admits at the start only. Of these `i` alone matters to names of one line.
  void globalFlags(KernelRegex& regex) {
    while (text_.substr(at_).starts_with("(?")) {
      const size_t close = text_.find_first_not_of("aimsu", at_ + 2);
      if (close == at_ + 2 || close == std::string_view::npos || text_[close] != ')') return;
      regex.ignoreCase = regex.ignoreCase || text_.substr(at_, close - at_).find('i') != std::string_view::npos;
      at_ = close + 1;
    }
  }

  RegexNode node(Kind kind, size_t begin) const {
    RegexNode out;
    out.kind = kind;
    out.begin = static_cast<uint32_t>(begin);
    out.end = static_cast<uint32_t>(at_);
    return out;
  }

  RegexNode alternatives(int depth) {
    const size_t begin = at_;
    if (depth > limits::kXmlNesting)
      fail(at_, at_ + 1, fmt::format("brackets nest deeper than {}", limits::kXmlNesting));
    std::vector<RegexNode> parts{sequence(depth)};
    while (take("|")) parts.push_back(sequence(depth));
    if (parts.size() == 1) return std::move(parts.front());
    RegexNode out = node(Kind::Alternate, begin);
    out.parts = std::move(parts);
    return out;
  }

  RegexNode sequence(int depth) {
    const size_t begin = at_;
    std::vector<RegexNode> parts;
    while (!atEnd() && peek() != '|' && peek() != ')') {
      if (take("(?#")) {
        const size_t close = text_.find(')', at_);
        if (close == std::string_view::npos) fail(at_ - 3, at_, "comment without `)`");
        at_ = close + 1;
        const size_t sign = at_;
        uint32_t ignoredMin = 0, ignoredMax = 0;
        if (const char next = peek(); next == '*' || next == '+' || next == '?' || bounds(ignoredMin, ignoredMax))
          fail(sign, std::max(at_, sign + 1), "a repetition behind a comment; move it before the comment");
        continue;
      }
      parts.push_back(repeated(depth));
    }
    RegexNode out = node(Kind::Concat, begin);
    out.parts = std::move(parts);
    return out;
  }

  RegexNode repeated(int depth) {
    const size_t begin = at_;
    RegexNode one = atom(depth);
    const size_t sign = at_;
    uint32_t min = 0, max = RegexNode::kUnbounded;
    if (take("?"))
      max = 1;
    else if (take("+"))
      min = 1;
    else if (!take("*") && !bounds(min, max))
      return one;
    if (one.kind != Kind::Symbols && one.kind != Kind::Group) fail(sign, at_, "nothing to repeat");
    if (take("+")) fail(sign, at_, "RE2 has no possessive repetition");
    take("?");  // how much is taken first does not change which names match
    if (const char next = peek(); next == '*' || next == '+' || next == '?')
      fail(at_, at_ + 1, "a repetition of a repetition");
    const size_t end = at_;
    uint32_t ignoredMin = 0, ignoredMax = 0;
    if (bounds(ignoredMin, ignoredMax)) fail(end, at_, "a repetition of a repetition");
    RegexNode out = node(Kind::Repeat, begin);
    out.min = min;
    out.max = max;
    out.parts.push_back(std::move(one));
    return out;
  }

  std::optional<uint32_t> number() {
    const size_t begin = at_;
    uint32_t value = 0;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
      value = std::min<uint32_t>(value * 10 + static_cast<uint32_t>(peek() - '0'), kRepetitionsOfRe2 + 1);
      ++at_;
    }
    return at_ == begin ? std::nullopt : std::optional(value);
  }

  /// `{m}`, `{m,}`, `{,n}`, `{m,n}`; braces of another form are characters.
  bool bounds(uint32_t& min, uint32_t& max) {
    const size_t begin = at_;
    if (!take("{")) return false;
    const auto low = number();
    const bool comma = take(",");
    const auto high = comma ? number() : low;
    if (!take("}") || (!low && !comma) || (!low && !high)) {
      at_ = begin;
      return false;
    }
    min = low.value_or(0);
    max = high.value_or(RegexNode::kUnbounded);
    if (min > kRepetitionsOfRe2 || (high && *high > kRepetitionsOfRe2))
      fail(begin, at_, fmt::format("RE2 repeats at most {} times", kRepetitionsOfRe2));
    if (max < min) fail(begin, at_, "the smaller bound is the larger one");
    return true;
  }

  RegexNode atom(int depth) {
    const size_t begin = at_;
    const char c = text_[at_];
    if (c == '(') return group(depth);
    if (c == '[') return brackets();
    if (c == '\\') return escape();
    if (c == '*' || c == '+' || c == '?') fail(at_, at_ + 1, "nothing to repeat");
    if (c == '^' || c == '$') {
      ++at_;
      return node(c == '^' ? Kind::Begin : Kind::End, begin);
    }
    if (c == '.') {
      ++at_;
      RegexNode out = node(Kind::Symbols, begin);
      out.symbols = anySymbol();
      out.text = ".";
      return out;
    }
    return character(begin, false);
  }

  /// The character at `at_`, as it is.
  RegexNode character(size_t begin, bool inBrackets) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    const bool beyond = c >= kOtherSymbol;
    const std::string_view rest = text_.substr(at_);
    const size_t length = beyond ? std::max<size_t>(utf8::sequenceLength(rest), 1) : 1;
    std::string text = beyond ? std::string(rest.substr(0, length)) : quoted(c, inBrackets);
    if (beyond && utf8::controlLength(rest) != 0) fail(at_, at_ + length, "a control character is not read");
    at_ += length;
    RegexNode out = node(Kind::Symbols, begin);
    out.symbols.set(beyond ? kOtherSymbol : c);
    out.text = std::move(text);
    out.inexact = beyond;
    return out;
  }

  /// Why a group that begins with `(?` and then `rest` is not read.
  std::string whyNoGroup(std::string_view rest) const {
    if (rest.find(')') == std::string_view::npos) return "`(` without `)`";
    if (rest.starts_with("P=")) return "RE2 has no back-reference";
    if (rest.starts_with("(")) return "RE2 has no condition on a group";
    if (rest.starts_with(">")) return "RE2 has no atomic group";
    const size_t close = rest.find_first_not_of("aiLmsux-");
    const std::string_view flags = rest.substr(0, close);
    if (flags.empty() || flags.ends_with('-') || (rest[close] != ':' && rest[close] != ')'))
      return "Python has no such group";
    if (const size_t other = flags.find_first_not_of("aimsu-"); other != std::string_view::npos)
      return fmt::format("the flag `{}` is not read", flags[other]);
    return "flags are read at the start only, as in `(?i)gemm`";
  }

  RegexNode group(int depth) {
    const size_t begin = at_;
    Kind kind = Kind::Group;
    bool negative = false, behind = false;
    if (take("(?<=") || take("(?<!")) {
      kind = Kind::Look;
      behind = true;
    } else if (take("(?=") || take("(?!")) {
      kind = Kind::Look;
    } else if (take("(?P<")) {
      const size_t close = text_.find('>', at_);
      if (close == std::string_view::npos) fail(begin, at_, "name of a group without `>`");
      at_ = close + 1;
    } else if (text_.substr(at_).starts_with("(?") && !text_.substr(at_).starts_with("(?:")) {
      fail(begin, std::min(begin + 3, text_.size()), whyNoGroup(text_.substr(at_ + 2)));
    } else if (!take("(?:")) {
      take("(");
    }
    if (kind == Kind::Look) negative = text_[at_ - 1] == '!';
    RegexNode inside = alternatives(depth + 1);
    if (!take(")")) fail(begin, begin + 1, "`(` without `)`");
    RegexNode out = node(kind, begin);
    out.negative = negative;
    out.behind = behind;
    out.parts.push_back(std::move(inside));
    return out;
  }

  RegexNode escape() {
    const size_t begin = at_++;
    if (atEnd()) fail(begin, at_, "`\\` at the end");
    const char c = text_[at_];
    const auto special = [&](Kind kind) {
      ++at_;
      return node(kind, begin);
    };
    if (c == 'A') return special(Kind::Begin);
    if (c == 'Z') return special(Kind::End);
    if (c == 'b') return special(Kind::Boundary);
    if (c == 'B') return special(Kind::NoBoundary);
    return escapedSymbols(begin, false);
  }

  /// What stands behind a backslash, in brackets or outside of them.
  RegexNode escapedSymbols(size_t begin, bool inBrackets) {
    const char c = text_[at_];
    if (const auto known = classOf(c)) {
      ++at_;
      RegexNode out = node(Kind::Symbols, begin);
      out.symbols = *known;
      out.text = std::string("\\") + c;
      return out;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0)
      fail(begin, at_ + 1, "RE2 has no back-reference, and octal numbers are not read");
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) return character(begin, inBrackets);
    constexpr std::string_view kLetters = "ntrfva", kControls = "\n\t\r\f\v\a";
    size_t value = 0;
    ++at_;
    if (const size_t which = kLetters.find(c); which != std::string_view::npos) {
      value = static_cast<unsigned char>(kControls[which]);
    } else if (c == 'x' && at_ + 1 < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_])) != 0 &&
               std::isxdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0) {
      value = std::stoul(std::string(text_.substr(at_, 2)), nullptr, 16);
      at_ += 2;
    } else {
      fail(begin, at_, fmt::format("unknown escape `\\{}`", c));
    }
    if (value >= kOtherSymbol) fail(begin, at_, "a number of a character beyond ASCII is not read");
    RegexNode out = node(Kind::Symbols, begin);
    if (value != '\n') out.symbols.set(value);
    out.text = quoted(static_cast<unsigned char>(value), inBrackets);
    return out;
  }

  RegexNode brackets() {
    const size_t begin = at_++;
    const bool negated = take("^");
    SymbolSet symbols;
    std::string text = negated ? "[^" : "[";
    bool inexact = false;
    for (bool first = true; first || peek() != ']'; first = false) {
      if (atEnd()) fail(begin, begin + 1, "`[` without `]`");
      const RegexNode low = member();
      symbols |= low.symbols;
      inexact = inexact || low.inexact;
      text += low.text;
      if (peek() != '-' || at_ + 1 >= text_.size() || text_[at_ + 1] == ']') continue;
      ++at_;
      const RegexNode high = member();
      if (low.inexact || high.inexact || low.symbols.count() != 1 || high.symbols.count() != 1)
        fail(low.begin, high.end, "a range between characters that are not single ones of ASCII");
      const size_t from = low.symbols._Find_first(), to = high.symbols._Find_first();
      if (to < from) fail(low.begin, high.end, "the range ends before it begins");
      for (size_t symbol = from; symbol <= to; ++symbol) symbols.set(symbol);
      text += "-" + high.text;
    }
    ++at_;
    RegexNode out = node(Kind::Symbols, begin);
    out.symbols = anySymbol() & (negated ? ~symbols : symbols);
    out.text = text + "]";
    out.inexact = inexact;
    return out;
  }

  RegexNode member() {
    if (atEnd()) fail(at_ - 1, at_, "`[` without `]`");
    const size_t begin = at_;
    if (peek() != '\\') return character(begin, true);
    ++at_;
    if (atEnd()) fail(begin, at_, "`\\` at the end");
    return escapedSymbols(begin, true);
  }

  static void foldCase(RegexNode& node) {
    for (size_t lower = 'a'; lower <= 'z'; ++lower) {
      const size_t upper = lower - 'a' + 'A';
      const bool either = node.symbols.test(lower) || node.symbols.test(upper);
      // A negated class lacks a letter of which it lacks one case.
      const bool both = node.symbols.test(lower) && node.symbols.test(upper);
      const bool holds = node.text.starts_with("[^") ? both : either;
      node.symbols.set(lower, holds).set(upper, holds);
    }
    for (RegexNode& part : node.parts) foldCase(part);
  }

  std::string_view text_;
  size_t at_ = 0;
};

void print(const RegexNode& node, std::string& out);

void printAll(const std::vector<RegexNode>& parts, std::string& out, std::string_view between) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += between;
    print(parts[i], out);
  }
}

void print(const RegexNode& node, std::string& out) {
  switch (node.kind) {
    case Kind::Symbols:
      out += node.text;
      return;
    case Kind::Concat:
      return printAll(node.parts, out, "");
    case Kind::Alternate:
      return printAll(node.parts, out, "|");
    case Kind::Group:
      out += "(";
      printAll(node.parts, out, "");
      out += ")";
      return;
    case Kind::Begin:
      out += "^";
      return;
    case Kind::End:
      out += "$";
      return;
    case Kind::Boundary:
      out += "\\b";
      return;
    case Kind::NoBoundary:
      out += "\\B";
      return;
    case Kind::Look:
      return;  // callers have removed them
    case Kind::Repeat:
      printAll(node.parts, out, "");
      if (node.max == RegexNode::kUnbounded && node.min <= 1)
        out += node.min == 0 ? "*" : "+";
      else if (node.min == 0 && node.max == 1)
        out += "?";
      else if (node.max == RegexNode::kUnbounded)
        out += fmt::format("{{{},}}", node.min);
      else
        out += node.min == node.max ? fmt::format("{{{}}}", node.min) : fmt::format("{{{},{}}}", node.min, node.max);
      return;
  }
}

std::string searchTextOf(const RegexNode& node) {
  std::vector<RegexNode> parts = node.kind == Kind::Concat ? node.parts : std::vector{node};
  // At the beginning of the name already.
  while (!parts.empty() && parts.front().kind == Kind::Begin) parts.erase(parts.begin());
  bool anchored = true;
  while (!parts.empty() && matchesAnyName(parts.front())) {
    parts.erase(parts.begin());
    anchored = false;
  }
  while (!parts.empty() && matchesAnyName(parts.back())) parts.pop_back();
  std::string out = anchored && !parts.empty() ? "^" : "";
  printAll(parts, out, "");
  return out.empty() ? "^" : out;
}

}  // namespace

const SymbolSet& anySymbol() {
  static const SymbolSet all = SymbolSet().set().reset('\n');
  return all;
}

bool isWordSymbol(size_t symbol) {
  return symbol < kOtherSymbol && (symbol == '_' || std::isalnum(static_cast<int>(symbol)) != 0);
}

std::variant<KernelRegex, RegexFault> parseKernelRegex(std::string_view text) { return Parser(text).run(); }

bool matchesAnyName(const RegexNode& node) {
  return node.kind == Kind::Repeat && node.min == 0 && node.max == RegexNode::kUnbounded &&
         node.parts.front().kind == Kind::Symbols && node.parts.front().symbols == anySymbol();
}

std::string searchText(const KernelRegex& regex) {
  std::string out = regex.ignoreCase ? "(?i)" : "";
  if (regex.root.kind != Kind::Alternate) return out + searchTextOf(regex.root);
  for (size_t i = 0; i < regex.root.parts.size(); ++i) out += (i == 0 ? "" : "|") + searchTextOf(regex.root.parts[i]);
  return out;
}

}  // namespace amdahlc::grammar::xml_rules
