#include "report/text_table.h"

#include <algorithm>

#include "support/characters.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

constexpr size_t kGap = 2;
// Minimum width of a flexible column.
constexpr size_t kNarrowest = 8;
// Of a cell, also where lines may be long: names of a trace can have megabytes.
constexpr size_t kLongest = 1000;

std::string shorten(const std::string& text, size_t width, bool losesBeginning = false) {
  const size_t length = utf8::length(text);
  if (length <= width) return text;
  if (width <= 2) return std::string(utf8::first(text, width));
  const size_t left = losesBeginning ? 0 : (width - 2) / 2, right = width - 2 - left;
  return std::string(utf8::first(text, left)) + ".." + text.substr(utf8::first(text, length - right).size());
}

}  // namespace

void TextTable::column(std::string title, Align align, Width width) {
  columns_.push_back({std::move(title), align, width});
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
    size_t width = utf8::length(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, utf8::length(row[c]));
    widths.push_back(width);
    total += width + (c ? kGap : 0);
  }
  while (total > columns) {
    size_t widest = columns_.size();
    for (size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].width != Width::Fixed && widths[c] > kNarrowest &&
          (widest == columns_.size() || widths[c] > widths[widest]))
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
      const std::string cell = shorten(cellOf(c), width[c], columns_[c].width == Width::LosesBeginning);
      const std::string pad(width[c] - utf8::length(cell), ' ');
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
