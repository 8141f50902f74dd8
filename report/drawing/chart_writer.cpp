// A page, from top to bottom: the header, the legend, the panels. A panel has a title, notes, a legend of its own, and
// its chart.
#include <algorithm>
#include <cstdlib>

#include "report/drawing/chart_parts.h"
#include "report/drawing/svg_text.h"

namespace amdahlc::drawing {
namespace {

constexpr double kPanelGap = 30, kSwatch = 11, kEntryGap = 22;
constexpr size_t kChartNoteColumns = 210, kTitleCharacters = 160;
/// Texts on colours with a larger luminance are black: there both have the same contrast.
constexpr double kBlackTextFrom = 0.18;

int channel(std::string_view color, size_t index) {
  if (color.size() < 7) return 0;
  return static_cast<int>(std::strtol(std::string(color.substr(1 + 2 * index, 2)).c_str(), nullptr, 16));
}

/// About the relative luminance, with a gamma of 2.
double luminance(std::string_view color) {
  constexpr double kWeights[] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double value = channel(color, i) / 255.0;
    sum += kWeights[i] * value * value;
  }
  return sum;
}

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

struct ContentWriter {
  SvgCanvas& out;
  const std::vector<Series>& series;
  const RowWidths& widths;
  void operator()(const NoChart&) const {}
  void operator()(const BarTable& table) const { writeBarTable(out, table, series, widths); }
  void operator()(const BoxTable& table) const { writeBoxTable(out, table); }
  void operator()(const Plot& plot) const { writePlot(out, plot, series); }
};

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
    for (const std::string& line : wrapped(note, kChartNoteColumns)) {
      out.moveDown(kLineHeight);
      out.writeText(kChartLeft, out.y(), line, kMuted);
    }
  writeLegend(out, panel.legend, series);
  std::visit(ContentWriter{out, series, widths}, panel.content);
}

}  // namespace

std::string fillOf(const std::vector<Series>& series, size_t index) {
  const Fill& fill = series[index].fill;
  return fill.hatched ? fmt::format("url(#fill-{})", index) : escaped(fill.color);
}

std::string_view textOn(const Fill& fill) {
  if (fill.hatched) return "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
  return luminance(fill.color) < kBlackTextFrom ? "fill=\"#ffffff\"" : "fill=\"#000000\"";
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
