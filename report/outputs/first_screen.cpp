#include "report/outputs/first_screen.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "support/characters.h"

namespace amdahlc {
namespace {

constexpr size_t kScreenLines = 25;
/// Longer lines are hard to read, also where a terminal is wider.
constexpr unsigned kScreenColumns = 80, kMostColumns = 100;
/// On a narrower terminal lines are broken by the terminal.
constexpr unsigned kFewestColumns = 20;
/// Pieces of advice go before the fewest rows beside them do.
constexpr size_t kUsualRows = 10, kFewestRowsBesideAdvice = 7, kFewestRows = 3;

}  // namespace

Screen::Screen(const TextStyle& style)
    : style_(style),
      columns_(style.columns == kColumnsOfAPipe ? kScreenColumns
                                                : std::clamp(style.columns, kFewestColumns, kMostColumns)) {}

Screen::Lines Screen::linesOf(std::string_view text) {
  Lines lines;
  for (size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.emplace_back(text.substr(begin, end - begin));
  return lines;
}

Screen::Lines Screen::wrapped(std::string_view first, std::string text, size_t indent) const {
  constexpr char kKept = '\1';
  for (size_t i = 1; i < text.size(); ++i)
    if (text[i] == ' ' && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0) text[i] = kKept;
  Lines lines = utf8::wrapped(std::string(first) + text, columns_ - indent);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::ranges::replace(lines[i], kKept, ' ');
    if (i > 0) lines[i].insert(0, indent, ' ');
  }
  return lines;
}

void Screen::titleLine(std::string text) {
  for (std::string& line : wrapped("", std::move(text), 2)) head_.push_back(style_.bold(line));
}

Screen::Lines Screen::table(const std::string& text) const {
  Lines lines = linesOf(text);
  if (!lines.empty()) lines.front() = style_.bold(lines.front());
  return lines;
}

std::string Screen::fit(std::optional<int64_t> askedRows) const {
  const Lines heading = wrapped("", adviceHeading_, 2);
  size_t rows = askedRows ? static_cast<size_t>(*askedRows) : kUsualRows, pieces = advice_.size();
  Lines table = rows_ ? rows_(rows) : Lines();
  const auto lines = [&] {
    size_t count = head_.size() + table.size() + (table.empty() ? 0 : 1) + (more_.empty() ? 0 : 1);
    if (pieces > 0) count += heading.size();
    for (size_t i = 0; i < pieces; ++i) count += advice_[i].size();
    return count;
  };
  const auto dropRows = [&](size_t fewest) {
    while (!askedRows && lines() > kScreenLines && rows > fewest) table = rows_(--rows);
  };
  dropRows(kFewestRowsBesideAdvice);
  while (lines() > kScreenLines && pieces > 1) --pieces;
  dropRows(kFewestRows);
  const bool hasRoom = lines() + 1 <= kScreenLines;
  std::string out;
  const auto add = [&](const std::string& line) { out += line + "\n"; };
  for (const std::string& line : head_) add(line);
  if (pieces > 0) {
    if (hasRoom) add("");
    for (const std::string& line : heading) add(style_.bold(line));
    for (const Lines& piece : std::span(advice_).first(pieces)) std::ranges::for_each(piece, add);
  }
  if (!table.empty()) add("");
  std::ranges::for_each(table, add);
  if (!more_.empty()) add(more_);
  return out;
}

}  // namespace amdahlc
