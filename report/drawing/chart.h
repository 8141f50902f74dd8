/// Charts before they have coordinates: panels one below the other, each a table of stacked bars, a table of box plots,
/// or a plot of curves and points over two axes. Whoever knows the facts fills them; the writer knows nothing but
/// this.
///
/// All texts are printable, as in diagrams. Names are cut where they are too long to be drawn, and shown in full when
/// one points at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/drawing/scale.h"

namespace amdahlc::drawing {

/// Width of the area of a plot in pixels: more columns than this cannot be seen.
inline constexpr size_t kPlotColumns = 1000;

struct Fill {
  /// `#rrggbb`
  std::string color;
  /// With white lines across it, which doubles the number of fills that one can tell apart.
  bool hatched = false;
};

/// What bars, curves or points are about. It looks the same in all panels of a page.
struct Series {
  std::string name;
  Fill fill;
};

struct LegendEntry {
  /// Index into `ChartPage::series`.
  size_t series = 0;
  std::string text;
};

/// A part of a bar. Values are not negative.
struct BarPart {
  size_t series = 0;
  double value = 0;
  /// Shown when one points at it, behind the name of the series.
  std::string detail = {};
};

struct BarRow {
  std::string name;
  /// As many as `BarTable::columns`.
  std::vector<std::string> numbers;
  std::vector<BarPart> parts;
  /// A row that is no item of its own, such as a rest: its name is set apart.
  bool isRest = false;
};

/// A row for each item: its name, numbers, a bar as long as its value, and the same bar as shares of the whole. With
/// `from` there are no shares: bars begin at this value and go to the left, to what is left of it without their parts.
struct BarTable {
  /// Above the names.
  std::string rows;
  /// Above the numbers.
  std::vector<std::string> columns;
  std::vector<BarRow> items;
  /// Of the bars, which begin at 0. Its ends are found by the writer.
  Axis axis;
  /// Above the shares.
  std::string shares = "composition";
  std::optional<double> from = std::nullopt;
};

struct BoxRow {
  std::string name;
  std::vector<std::string> numbers;
  double lowerWhisker = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, upperWhisker = 0, mean = 0;
  /// Samples outside of the whiskers that are drawn: their extremes.
  std::vector<double> outside;
};

/// A row for each item: its name, numbers, and a box plot. The axis is the same for all.
struct BoxTable {
  std::string rows;
  std::vector<std::string> columns;
  std::vector<BoxRow> items;
  /// Its ends are found by the writer.
  Axis axis;
};

struct ChartPoint {
  double x = 0, y = 0;
};

enum class CurveKind : uint8_t {
  /// Straight lines between points.
  Line,
  /// Each value holds up to the next point.
  Steps,
  /// As `Steps`, filled down to `Curve::fillTo`.
  FilledSteps,
  /// Marks at the points.
  Points,
};

struct Curve {
  size_t series = 0;
  CurveKind kind = CurveKind::Line;
  /// In order of x, but for `Points`.
  std::vector<ChartPoint> points;
  /// Nullopt: the low end of the axis.
  std::optional<double> fillTo = std::nullopt;
};

/// A point that is named, such as a peak.
struct PlotMark {
  ChartPoint at;
  std::string text;
};

/// A thin strip under the plot, of cells of equal width over its whole width, each as dark as its share is large.
struct ShareStrip {
  std::string name;
  size_t series = 0;
  std::vector<double> shares;
};

/// Curves and points over two axes.
struct Plot {
  Axis x, y;
  std::vector<Curve> curves;
  std::vector<PlotMark> marks;
  std::vector<ShareStrip> strips;
  /// Of the area in pixels.
  double height = 120;
};

struct ChartPanel {
  std::string title;
  /// Sentences under the title.
  std::vector<std::string> notes = {};
  /// Between them and the chart.
  std::vector<LegendEntry> legend = {};
  /// Nothing where it is text alone.
  std::variant<std::monostate, BarTable, BoxTable, Plot> content = {};
};

struct ChartPage {
  /// Lines above the panels, the first one the title.
  std::vector<std::string> header;
  std::vector<Series> series;
  /// Above the panels.
  std::vector<LegendEntry> legend = {};
  std::vector<ChartPanel> panels;
};

/// An SVG document of its own, without any script. No text of the page is markup. The same page gives the same bytes.
std::string writeCharts(const ChartPage& page);

}  // namespace amdahlc::drawing
