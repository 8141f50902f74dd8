/// The parts of the writer of charts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drawing/chart.h"
#include "drawing/svg_canvas.h"

namespace amdahlc::drawing {

/// Left and right ends of all panels.
inline constexpr double kChartLeft = kMargin, kChartWidth = 1160, kChartRight = kChartLeft + kChartWidth;
inline constexpr std::string_view kGridColor = "#e4e4e4", kAxisColor = "#888888", kMutedColor = "#555555";
inline constexpr size_t kNameCharacters = 44;

/// The colour of a fill as an attribute, which refers to the definitions of the page if it is hatched.
std::string fillOf(const std::vector<Series>& series, size_t index);
/// Attributes of a text on this fill.
std::string_view textOn(const Fill& fill);

/// Names and numbers at the left of a chart, in columns that are as wide as their widest text.
class RowTexts {
 public:
  RowTexts(std::string rows, std::vector<std::string> columns);
  void add(std::string_view name, const std::vector<std::string>& numbers);
  /// Where the columns end.
  double right() const;
  /// On this base line.
  void writeTitles(SvgCanvas& out, double y) const;
  void writeRow(SvgCanvas& out, double y, std::string_view name, const std::vector<std::string>& numbers,
                bool isRest) const;

 private:
  std::string rows_;
  std::vector<std::string> columns_;
  double nameWidth_ = 0;
  std::vector<double> widths_;
};

/// Lines of a grid from `top` to `bottom` at the ticks of an axis between `left` and `right`, and their labels below.
void writeHorizontalAxis(SvgCanvas& out, const Scale& scale, double left, double right, double top, double bottom);

// Each writes a panel's chart from the canvas's place on, and moves it down.
void writeBarTable(SvgCanvas& out, const BarTable& table, const std::vector<Series>& series);
void writeBoxTable(SvgCanvas& out, const BoxTable& table);
void writePlot(SvgCanvas& out, const Plot& plot, const std::vector<Series>& series);

}  // namespace amdahlc::drawing
