// Tables of stacked bars and of box plots: a row for each item, with its name and numbers, and the chart beside them.
// Also the axis under these charts and under plots.
#include <algorithm>
#include <cmath>

#include "report/drawing/chart_parts.h"
#include "report/drawing/svg_text.h"

namespace amdahlc::drawing {
namespace {

constexpr double kColumnGap = 16, kTickLength = 4, kMinorTickLength = 2.5;
/// Room for a label of an axis.
constexpr double kLabelWidth = 50;
constexpr double kRow = 18, kBarHeight = 12, kBaseLine = 13, kTableAxisHeight = 24;
constexpr double kChartGap = 32;
/// Of the width that the bars and their shares have together.
constexpr double kBarsPart = 0.45;
/// A thinner part of a bar cannot be seen.
constexpr double kThinnest = 0.05;

double totalOf(const BarRow& row) {
  double sum = 0;
  for (const BarPart& part : row.parts) sum += part.value;
  return sum;
}

/// `12 %`, and with a decimal where a whole number would claim all.
std::string formatShare(double share) {
  return share < 1 && share >= 0.995 ? fmt::format("{:.1f} %", std::min(100 * share, 99.9))
                                     : fmt::format("{:.0f} %", 100 * share);
}

/// The parts of a bar side by side; `pixels` is the width of 1, and shares are of `total`.
void writeBar(SvgCanvas& out, const BarRow& row, const std::vector<Series>& series, double x, double y, double pixels,
              double total, bool withText) {
  for (const BarPart& part : row.parts) {
    const double width = part.value * pixels;
    if (width < kThinnest) continue;
    const Series& of = series[part.series];
    const std::string share = formatShare(part.value / total);
    out.print("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n",
              x, y, width, kBarHeight, fillOf(series, part.series),
              escaped(fmt::format("{}: {}{}{}", of.name, part.detail, part.detail.empty() ? "" : ", ", share)));
    if (withText && widthOf(share, 9) + 4 <= width)
      out.writeText(x + width / 2, y + kBarHeight - 2.8, share,
                    fmt::format("font-size=\"9\" text-anchor=\"middle\" {}", textOn(of.fill)));
    x += width;
  }
}

/// A light line under every row, so that the eye stays in it.
void writeRowLine(SvgCanvas& out, double y) {
  out.print("<path d=\"M{},{:.1f} H{}\" stroke=\"#f2f2f2\"/>\n", kChartLeft, y, kChartRight);
}

void writeBox(SvgCanvas& out, const BoxRow& row, const Scale& scale, double left, double width, double y) {
  const auto xOf = [&](double value) { return left + scale.position(value) * width; };
  const double middle = y + kRow / 2, top = middle - 5, low = xOf(row.lowerWhisker), high = xOf(row.upperWhisker);
  const double box = xOf(row.lowerQuartile), boxEnd = xOf(row.upperQuartile), median = xOf(row.median);
  out.print("<path d=\"M{0:.1f},{1:.1f} H{2:.1f} M{3:.1f},{1:.1f} H{4:.1f}\" stroke=\"#444444\"/>\n", low, middle, box,
            boxEnd, high);
  out.print("<path d=\"M{0:.1f},{2:.1f} v6 M{1:.1f},{2:.1f} v6\" stroke=\"#444444\"/>\n", low, high, middle - 3);
  out.print("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"10\" fill=\"#bcd7ea\" stroke=\"#444444\"/>\n",
            box, top, boxEnd - box);
  out.print("<path d=\"M{:.1f},{:.1f} v10\" stroke=\"#c04000\" stroke-width=\"2\"/>\n", median, top);
  out.print("<path d=\"M{:.1f},{:.1f} l3,3 l-3,3 l-3,-3 z\" fill=\"#ffffff\" stroke=\"#000000\"/>\n", xOf(row.mean),
            middle - 3);
  for (const double value : row.outside)
    out.print("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"none\" stroke=\"#444444\"/>\n", xOf(value), middle);
}

/// What the marks of a box plot mean, drawn as one.
void writeBoxLegend(SvgCanvas& out) {
  const Scale scale({.low = 0, .high = 100, .roundEnds = false});
  out.moveDown(4);
  writeBox(out, {"", {}, 5, 25, 40, 65, 80, 50, {98}}, scale, kChartLeft, 90, out.y());
  out.writeText(
      kChartLeft + 104, out.y() + kBaseLine,
      "box: from the lower to the upper quartile; line: median; diamond: mean; whiskers: the furthest samples "
      "within 1.5 times the length of the box from it; circles: the extremes of the samples outside");
  out.moveDown(kRow);
}

}  // namespace

void RowWidths::add(std::string_view nameText, const std::vector<std::string>& numberTexts) {
  name = std::max(name, widthOf(shortened(nameText, kNameCharacters), kFontSize));
  numbers.resize(std::max(numbers.size(), numberTexts.size()), 0);
  for (size_t i = 0; i < numberTexts.size(); ++i) numbers[i] = std::max(numbers[i], widthOf(numberTexts[i], kFontSize));
}

double RowWidths::right() const {
  double x = kChartLeft + name;
  for (const double width : numbers) x += kColumnGap + width;
  return x;
}

void writeRowTexts(SvgCanvas& out, const RowWidths& widths, double y, std::string_view name,
                   const std::vector<std::string>& numbers, RowStyle look) {
  const std::string cut = shortened(name, kNameCharacters);
  const std::string muted(kMuted);
  const std::string style = look == RowStyle::Item   ? ""
                            : look == RowStyle::Rest ? muted + " font-style=\"italic\""
                                                     : muted;
  if (cut != name) out.print("<g><title>{}</title>\n", escaped(name));
  out.writeText(kChartLeft, y, cut, style);
  if (cut != name) out.print("</g>\n");
  double x = kChartLeft + widths.name;
  for (size_t i = 0; i < std::min(numbers.size(), widths.numbers.size()); ++i) {
    x += kColumnGap + widths.numbers[i];
    out.writeText(x, y, numbers[i], (look == RowStyle::Title ? muted + " " : "") + "text-anchor=\"end\"");
  }
}

void writeHorizontalAxis(SvgCanvas& out, const Scale& scale, double left, double right, double top, double bottom) {
  const double width = right - left;
  const auto xOf = [&](double value) { return left + scale.position(value) * width; };
  for (const double value : scale.minorTicks())
    out.print("<path d=\"M{0:.1f},{1:.1f} v{2}\" stroke=\"{3}\"/>\n", xOf(value), bottom, kMinorTickLength, kAxisColor);
  for (const Tick& tick : scale.ticks(kLabelWidth / width)) {
    const double x = xOf(tick.value);
    out.print("<path d=\"M{0:.1f},{1:.1f} V{2:.1f}\" stroke=\"{3}\"/>\n", x, top, bottom, kGridColor);
    out.print("<path d=\"M{0:.1f},{1:.1f} v{2}\" stroke=\"{3}\"/>\n", x, bottom, kTickLength, kAxisColor);
    out.writeText(x, bottom + 15, tick.label, kMutedMiddle);
  }
  out.print("<path d=\"M{:.1f},{:.1f} H{:.1f}\" stroke=\"{}\"/>\n", left, bottom, right, kAxisColor);
}

void writeBarTable(SvgCanvas& out, const BarTable& table, const std::vector<Series>& series, const RowWidths& widths) {
  Axis axis = table.axis;
  axis.low = axis.high = 0;
  for (const BarRow& row : table.items) axis.high = std::max(axis.high, totalOf(row));
  axis.roundEnds = false;
  const Scale scale(axis);
  const Scale shares({.low = 0, .high = 100, .roundEnds = false});
  const double barsLeft = widths.right() + kChartGap;
  const double bars = (kChartRight - barsLeft - kChartGap) * kBarsPart;
  const double sharesLeft = barsLeft + bars + kChartGap, sharesWidth = kChartRight - sharesLeft;

  out.moveDown(kLineHeight + 2);
  writeRowTexts(out, widths, out.y(), table.rows, table.columns, RowStyle::Title);
  out.writeText(barsLeft, out.y(), axis.title, kMuted);
  out.writeText(sharesLeft, out.y(), table.shares, kMuted);
  out.moveDown(4);
  const double top = out.y(), bottom = top + kRow * static_cast<double>(table.items.size()) + 2;
  writeHorizontalAxis(out, scale, barsLeft, barsLeft + bars, top, bottom);
  writeHorizontalAxis(out, shares, sharesLeft, kChartRight, top, bottom);
  for (const BarRow& row : table.items) {
    const double y = out.y(), total = totalOf(row);
    writeRowTexts(out, widths, y + kBaseLine, row.name, row.numbers, row.isRest ? RowStyle::Rest : RowStyle::Item);
    if (total > 0) {
      writeBar(out, row, series, barsLeft, y + 3, bars / scale.high(), total, false);
      writeBar(out, row, series, sharesLeft, y + 3, sharesWidth / total, total, true);
    }
    out.moveDown(kRow);
  }
  out.moveDown(kTableAxisHeight);
}

void writeBoxTable(SvgCanvas& out, const BoxTable& table) {
  RowWidths widths;
  widths.add(table.rows, table.columns);
  Axis axis = table.axis;
  axis.low = axis.high = 0;
  for (const BoxRow& row : table.items) {
    widths.add(row.name, row.numbers);
    axis.low = std::min({axis.low, row.lowerWhisker, row.mean});
    axis.high = std::max({axis.high, row.upperWhisker, row.mean});
    for (const double value : row.outside) {
      axis.low = std::min(axis.low, value);
      axis.high = std::max(axis.high, value);
    }
  }
  const Scale scale(axis);
  const double left = widths.right() + kChartGap + 6, width = kChartRight - 20 - left;

  writeBoxLegend(out);
  out.moveDown(kLineHeight + 2);
  writeRowTexts(out, widths, out.y(), table.rows, table.columns, RowStyle::Title);
  out.writeText(left, out.y(), axis.title, kMuted);
  out.moveDown(4);
  const double top = out.y();
  writeHorizontalAxis(out, scale, left, left + width, top, top + kRow * static_cast<double>(table.items.size()) + 2);
  for (const BoxRow& row : table.items) {
    const double y = out.y();
    writeRowLine(out, y + kRow);
    writeRowTexts(out, widths, y + kBaseLine, row.name, row.numbers, RowStyle::Item);
    writeBox(out, row, scale, left, width, y);
    out.moveDown(kRow);
  }
  out.moveDown(kTableAxisHeight);
}

}  // namespace amdahlc::drawing
