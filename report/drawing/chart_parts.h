/// What the writers of pages and of plots share.
#pragma once

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

/// The colour of a fill as an attribute, which refers to the definitions of the page if it is hatched.
std::string fillOf(const std::vector<Series>& series, size_t index);
/// Lines of a grid from `top` to `bottom` at the ticks of an axis between `left` and `right`, and their labels below.
void writeHorizontalAxis(SvgCanvas& out, const Scale& scale, double left, double right, double top, double bottom);

/// Writes a plot from the canvas's place on, and moves it down.
void writePlot(SvgCanvas& out, const Plot& plot, const std::vector<Series>& series);

}  // namespace amdahlc::drawing
