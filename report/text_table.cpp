#include "report/text_table.h"

#include <algorithm>

#include "support/printable.h"
#include "support/utf8.h"

namespace amdahlc {
namespace {

constexpr size_t kGap = 2;
// Minimum width of a flexible column.
constexpr size_t kNarrowest = 8;
// Of a cell, also where lines may be long: names of a trace can have megabytes.
constexpr size_t kLongest = 1000;

size_t length(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), utf8::startsSequence));
}

/// The first `count` code points of `text`.
std::string head(const std::string& text, size_t count) {
  size_t i = 0;
  for (; i < text.size(); ++i)
    if (utf8::startsSequence(text[i]) && count-- == 0) break;
  return text.substr(0, i);
}

std::string tail(const std::string& text, size_t count) {
  const size_t skip = length(text) - count;
  return text.substr(head(text, skip).size());
}

/// Keeps both ends, which are the most specific parts of a module path.
std::string shorten(const std::string& text, size_t width) {
  if (length(text) <= width) return text;
  if (width <= 2) return head(text, width);
  const size_t left = (width - 2) / 2;
  return head(text, left) + ".." + tail(text, width - 2 - left);
}

}  // namespace

void TextTable::column(std::string title, Align align, bool flexible) {
  columns_.push_back({std::move(title), align, flexible});
}

void TextTable::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = shorten(printable(cell), kLongest);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> TextTable::widths(unsigned columns) const {
  std::vector<size_t> widths;
  size_t total = 2;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = length(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, length(row[c]));
    widths.push_back(width);
    total += width + (c ? kGap : 0);
  }
  while (total > columns) {
    size_t widest = columns_.size();
    for (size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].flexible && widths[c] > kNarrowest && (widest == columns_.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns_.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string TextTable::print(unsigned columns) const {
  const std::vector<size_t> width = widths(columns);
  std::string out;
  auto line = [&](auto cellOf) {
    std::string text = "  ";
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = shorten(cellOf(c), width[c]);
      const std::string pad(width[c] - length(cell), ' ');
      if (c) text.append(kGap, ' ');
      text += columns_[c].align == Align::Right ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](size_t c) { return columns_[c].title; });
  for (const auto& row : rows_) line([&](size_t c) { return row[c]; });
  return out;
}

}  // namespace amdahlc
