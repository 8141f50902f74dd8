// A page, from top to bottom: the header, the legend, the panels. A panel has a title, notes, a legend of its own, and
// its chart. Tables of stacked bars and of box plots have a row for each item, with its name and numbers, and the chart
// beside them.
#include <algorithm>

#include "report/drawing/chart_parts.h"
#include "report/drawing/palette.h"
#include "support/characters.h"

namespace amdahlc::drawing {
namespace {

constexpr size_t kNameCharacters = 44;
constexpr double kColumnGap = 16;
constexpr double kRow = 18, kBarHeight = 12, kBaseLine = 13, kTableAxisHeight = 24;
constexpr double kChartGap = 32;
/// Of the width that the bars and their shares have together.
constexpr double kBarsPart = 0.45;
/// A thinner part of a bar cannot be seen.
constexpr double kThinnest = 0.05;
constexpr double kPanelGap = 30, kSwatch = 11, kEntryGap = 22;
constexpr size_t kChartNoteColumns = 210, kTitleCharacters = 160;

/// The patterns of the hatched series of a page.
std::string definitions(const std::vector<Series>& series) {
  std::string out;
  for (size_t i = 0; i < series.size(); ++i)
    if (series[i].fill.hatched)
      out += fmt::format(
          "<pattern id=\"fill-{0}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"{1}\"/><rect width=\"1.8\" "
          "height=\"5\" fill=\"#ffffff\"/></pattern>\n",
          i, escaped(series[i].fill.color));
  return out.empty() ? out : "<defs>\n" + out + "</defs>\n";
}

void writeLegend(SvgCanvas& out, const std::vector<LegendEntry>& entries, const std::vector<Series>& series) {
  if (entries.empty()) return;
  double widest = 0;
  for (const LegendEntry& entry : entries) widest = std::max(widest, widthOf(entry.text, kFontSize));
  const double step = kSwatch + 5 + widest + kEntryGap;
  double x = kChartLeft;
  out.moveDown(kLineHeight);
  for (const LegendEntry& entry : entries) {
    if (x > kChartLeft && x + step - kEntryGap > kChartRight) {
      x = kChartLeft;
      out.moveDown(kLineHeight + 3);
    }
    out.print("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, out.y() - kSwatch + 1.5,
              kSwatch, kSwatch, fillOf(series, entry.series));
    out.writeText(x + kSwatch + 5, out.y(), entry.text);
    x += step;
  }
  out.moveDown(4);
}

// Tables.

/// Attributes of a text on this fill.
std::string textOn(const Fill& fill) {
  if (fill.hatched) return "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
  return fmt::format("fill=\"{}\"", textColorOn(fill.color));
}

/// Columns of names and numbers at the left of a chart, as wide as their widest text.
struct RowWidths {
  double name = 0;
  std::vector<double> numbers;

  void add(std::string_view nameText, const std::vector<std::string>& numberTexts) {
    name = std::max(name, widthOf(shortened(nameText, kNameCharacters), kFontSize));
    numbers.resize(std::max(numbers.size(), numberTexts.size()), 0);
    for (size_t i = 0; i < numberTexts.size(); ++i)
      numbers[i] = std::max(numbers[i], widthOf(numberTexts[i], kFontSize));
  }
  /// Where the columns end.
  double right() const {
    double x = kChartLeft + name;
    for (const double width : numbers) x += kColumnGap + width;
    return x;
  }
};

enum class RowStyle : uint8_t { Title, Item, Rest };

/// The name and the numbers of a row on this base line. Numbers end at the right of their columns.
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

/// Bars that go to the left from one value.
void writeBarsFrom(SvgCanvas& out, const BarTable& table, const std::vector<Series>& series, const RowWidths& widths) {
  Axis axis = table.axis;
  axis.low = axis.high = *table.from;
  for (const BarRow& row : table.items) axis.low = std::min(axis.low, *table.from - totalOf(row));
  // Short bars are not made to look long.
  axis.low = axis.low < *table.from / 3 ? 0 : std::min(axis.low, *table.from / 2);
  axis.roundEnds = false;
  const Scale scale(axis);
  const double left = widths.right() + kChartGap, width = kChartRight - kChartGap - left;
  const auto xOf = [&](double value) { return left + scale.position(value) * width; };

  out.moveDown(kLineHeight + 2);
  writeRowTexts(out, widths, out.y(), table.rows, table.columns, RowStyle::Title);
  out.writeText(left, out.y(), axis.title, kMuted);
  out.writeText(left + width, out.y(), fmt::format("now {}", formatQuantity(*table.from, axis.unit)), kMutedEnd);
  out.moveDown(4);
  const double top = out.y(), bottom = top + kRow * static_cast<double>(table.items.size()) + 2;
  writeHorizontalAxis(out, scale, left, left + width, top, bottom);
  for (const BarRow& row : table.items) {
    const double y = out.y();
    writeRowLine(out, y + kRow);
    writeRowTexts(out, widths, y + kBaseLine, row.name, row.numbers, row.isRest ? RowStyle::Rest : RowStyle::Item);
    double end = *table.from;
    for (const BarPart& part : row.parts) {
      const double x = xOf(end - part.value);
      if (xOf(end) - x >= kThinnest)
        out.print(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n", x,
            y + 3, xOf(end) - x, kBarHeight, fillOf(series, part.series),
            escaped(fmt::format("{}: {}", series[part.series].name, part.detail)));
      end -= part.value;
    }
    out.moveDown(kRow);
  }
  out.print("<path d=\"M{0:.1f},{1:.1f} V{2:.1f}\" stroke=\"#444444\" stroke-width=\"1.5\"/>\n", xOf(*table.from), top,
            bottom);
  out.moveDown(kTableAxisHeight);
}

void writeBarTable(SvgCanvas& out, const BarTable& table, const std::vector<Series>& series, const RowWidths& widths) {
  if (table.from) return writeBarsFrom(out, table, series, widths);
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

// The page.

RowWidths widthsOfBarTables(const ChartPage& page) {
  RowWidths widths;
  for (const ChartPanel& panel : page.panels) {
    const auto* table = std::get_if<BarTable>(&panel.content);
    if (table == nullptr) continue;
    widths.add(table->rows, table->columns);
    for (const BarRow& row : table->items) widths.add(row.name, row.numbers);
  }
  return widths;
}

void writePanel(SvgCanvas& out, const ChartPanel& panel, const std::vector<Series>& series, const RowWidths& widths) {
  out.moveDown(kPanelGap);
  if (!panel.title.empty())
    out.writeText(kChartLeft, out.y(), shortened(panel.title, kTitleCharacters),
                  "font-size=\"13\" font-weight=\"bold\"");
  for (const std::string& note : panel.notes)
    for (const std::string& line : utf8::wrapped(note, kChartNoteColumns)) {
      out.moveDown(kLineHeight);
      out.writeText(kChartLeft, out.y(), line, kMuted);
    }
  writeLegend(out, panel.legend, series);
  if (const auto* bars = std::get_if<BarTable>(&panel.content)) writeBarTable(out, *bars, series, widths);
  if (const auto* boxes = std::get_if<BoxTable>(&panel.content)) writeBoxTable(out, *boxes);
  if (const auto* plot = std::get_if<Plot>(&panel.content)) writePlot(out, *plot, series);
}

}  // namespace

std::string fillOf(const std::vector<Series>& series, size_t index) {
  const Fill& fill = series[index].fill;
  return fill.hatched ? fmt::format("url(#fill-{})", index) : escaped(fill.color);
}

std::string writeCharts(const ChartPage& page) {
  SvgCanvas out;
  out.writeHeader(page.header);
  writeLegend(out, page.legend, page.series);
  const RowWidths widths = widthsOfBarTables(page);
  for (const ChartPanel& panel : page.panels) writePanel(out, panel, page.series, widths);
  const double width = std::max(kChartRight, kChartLeft + out.textWidth()) + kMargin;
  const double height = out.y() + kMargin;
  return std::move(out).document(width, height, page.header.empty() ? "" : page.header.front(),
                                 definitions(page.series));
}

}  // namespace amdahlc::drawing
