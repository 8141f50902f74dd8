/// What the first screens of a run and of several ranks share: a short text with pieces of advice and a table, which
/// are cut until the whole fits into half a terminal.
#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/outputs/output.h"

namespace amdahlc {

class Screen {
 protected:
  using Lines = std::vector<std::string>;

  /// Pieces of advice on a screen.
  static constexpr size_t kPiecesOfAdvice = 3;

  explicit Screen(const TextStyle& style);

  /// The lines of a text, each of which ends.
  static Lines linesOf(std::string_view text);
  static void append(Lines& lines, Lines more) {
    lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  /// Lines of the text, all but the first one indented. A number and its unit stay together.
  Lines wrapped(std::string_view first, std::string text, size_t indent) const;
  void paragraph(std::string text) { append(head_, wrapped("", std::move(text), 2)); }
  /// The same in bold.
  void titleLine(std::string text);
  /// The lines of a table, the first in bold.
  Lines table(const std::string& text) const;

  /// The whole: advice and rows as far as there is room. `rows` is what the user asks for: all of them are kept.
  std::string fit(std::optional<int64_t> rows) const;

  const TextStyle& style_;
  const unsigned columns_;
  Lines head_;
  std::string adviceHeading_, more_;
  std::vector<Lines> advice_;
  /// The table with at most so many rows; null for none.
  std::function<Lines(size_t)> rows_;
};

}  // namespace amdahlc
