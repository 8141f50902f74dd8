/// The parts of the writer of charts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/chart.h"
#include "report/drawing/svg_canvas.h"

namespace amdahlc::drawing {

/// Left and right ends of all panels.
inline constexpr double kChartLeft = kMargin, kChartWidth = 1160, kChartRight = kChartLeft + kChartWidth;
inline constexpr std::string_view kGridColor = "#e4e4e4", kAxisColor = "#888888";
/// Attributes of texts that are set back: from a place on, around it, and up to it.
inline constexpr std::string_view kMuted = "fill=\"#555555\"", kMutedMiddle = "fill=\"#555555\" text-anchor=\"middle\"",
                                  kMutedEnd = "fill=\"#555555\" text-anchor=\"end\"";
inline constexpr size_t kNameCharacters = 44;

/// The colour of a fill as an attribute, which refers to the definitions of the page if it is hatched.
std::string fillOf(const std::vector<Series>& series, size_t index);
/// Attributes of a text on this fill.
std::string_view textOn(const Fill& fill);

/// Columns of names and numbers at the left of a chart, as wide as their widest text.
struct RowWidths {
  double name = 0;
  std::vector<double> numbers;

  void add(std::string_view nameText, const std::vector<std::string>& numberTexts);
  /// Where the columns end.
  double right() const;
};

enum class RowStyle : uint8_t { Title, Item, Rest };

/// The name and the numbers of a row on this base line. Numbers end at the right of their columns.
void writeRowTexts(SvgCanvas& out, const RowWidths& widths, double y, std::string_view name,
                   const std::vector<std::string>& numbers, RowStyle look);

/// Lines of a grid from `top` to `bottom` at the ticks of an axis between `left` and `right`, and their labels below.
void writeHorizontalAxis(SvgCanvas& out, const Scale& scale, double left, double right, double top, double bottom);

// Each writes a panel's chart from the canvas's place on, and moves it down.
/// The widths are those of all such tables of the page, so that their columns are aligned.
void writeBarTable(SvgCanvas& out, const BarTable& table, const std::vector<Series>& series, const RowWidths& widths);
void writeBoxTable(SvgCanvas& out, const BoxTable& table);
void writePlot(SvgCanvas& out, const Plot& plot, const std::vector<Series>& series);

}  // namespace amdahlc::drawing
