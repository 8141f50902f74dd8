/// Plain tables that fit a terminal.
#pragma once

#include <string>
#include <vector>

namespace amdahlc {

/// Columns are as wide as their cells, which lose their middle beyond a thousand characters. If the table is wider than
/// `columns`, flexible columns shrink, and long cells lose their middle, or their beginning where the end tells more.
class TextTable {
 public:
  enum class Align : unsigned char { Left, Right };
  enum class Width : unsigned char { Fixed, LosesMiddle, LosesBeginning };
  void column(std::string title, Align align, Width width = Width::Fixed);
  void row(std::vector<std::string> cells);
  /// Title line and rows, each indented by two spaces, without trailing blanks. Cells are counted in code points.
  std::string print(unsigned columns) const;

 private:
  struct Column {
    std::string title;
    Align align;
    Width width;
  };
  std::vector<size_t> widths(unsigned columns) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace amdahlc
