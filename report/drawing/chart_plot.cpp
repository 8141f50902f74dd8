// A plot: curves and points over two axes, strips under it. Also the axis under all charts.
#include <algorithm>
#include <cmath>

#include "report/drawing/chart_parts.h"
#include "report/drawing/svg_canvas.h"

namespace amdahlc::drawing {
namespace {

constexpr double kTickLength = 4, kMinorTickLength = 2.5;
/// Room for a label of an axis.
constexpr double kLabelWidth = 50;
constexpr double kPlotLeft = kChartRight - static_cast<double>(kPlotColumns) - 20;
constexpr double kPlotRight = kPlotLeft + static_cast<double>(kPlotColumns);
constexpr double kStripHeight = 9, kStripGap = 8, kAxisHeight = 24;
/// Between labels of the y axis.
constexpr double kLabelHeight = 22;
/// Strips have so many shades.
constexpr double kShades = 8;
constexpr size_t kMarkCharacters = 60;

class PlotWriter {
 public:
  PlotWriter(SvgCanvas& out, const Plot& plot, const std::vector<Series>& series)
      : out_(out), plot_(plot), series_(series), x_(plot.x), y_(plot.y) {}

  void write() {
    out_.moveDown(kLineHeight + 6);
    if (!plot_.y.title.empty()) out_.writeText(kPlotLeft, out_.y() - 5, plot_.y.title, kMuted);
    top_ = out_.y();
    bottom_ = top_ + plot_.height;
    writeVerticalAxis();
    const double stripsEnd = bottom_ + (kStripHeight + kStripGap) * static_cast<double>(plot_.strips.size());
    writeHorizontalAxis(out_, x_, kPlotLeft, kPlotRight, top_, stripsEnd + (plot_.strips.empty() ? 0 : 3));
    for (const Curve& curve : plot_.curves) writeCurve(curve);
    out_.print("<path d=\"M{0:.1f},{1:.1f} V{2:.1f} H{3:.1f}\" fill=\"none\" stroke=\"{4}\"/>\n", kPlotLeft, top_,
               bottom_, kPlotRight, kAxisColor);
    for (const PlotMark& mark : plot_.marks) writeMark(mark);
    double y = bottom_ + kStripGap;
    for (const ShareStrip& strip : plot_.strips) {
      writeStrip(strip, y);
      y += kStripHeight + kStripGap;
    }
    out_.moveDown(stripsEnd - top_ + kAxisHeight);
    if (!plot_.x.title.empty()) {
      out_.moveDown(6);
      out_.writeText((kPlotLeft + kPlotRight) / 2, out_.y(), plot_.x.title, kMutedMiddle);
    }
  }

 private:
  double xOf(double value) const { return kPlotLeft + x_.position(value) * (kPlotRight - kPlotLeft); }
  double yOf(double value) const { return bottom_ - y_.position(value) * (bottom_ - top_); }

  void writeVerticalAxis() {
    for (const Tick& tick : y_.ticks(kLabelHeight / plot_.height)) {
      const double y = yOf(tick.value);
      out_.print("<path d=\"M{0:.1f},{1:.1f} H{2:.1f}\" stroke=\"{3}\"/>\n", kPlotLeft, y, kPlotRight, kGridColor);
      out_.writeText(kPlotLeft - 6, y + 4, tick.label, kMutedEnd);
    }
  }

  /// The line of a curve; steps go on to the right end of the axis.
  std::string lineOf(const Curve& curve) const {
    const bool steps = curve.kind != CurveKind::Line;
    std::string path;
    for (const ChartPoint& point : curve.points) {
      const double x = xOf(point.x), y = yOf(point.y);
      if (path.empty())
        path = fmt::format("M{:.1f},{:.1f}", x, y);
      else if (steps)
        path += fmt::format("H{:.1f}V{:.1f}", x, y);
      else
        path += fmt::format("L{:.1f},{:.1f}", x, y);
    }
    if (steps) path += fmt::format("H{:.1f}", kPlotRight);
    return path;
  }

  void writeCurve(const Curve& curve) {
    if (curve.points.empty()) return;
    const std::string fill = fillOf(series_, curve.series), color = escaped(series_[curve.series].fill.color);
    if (curve.kind == CurveKind::Points) {
      for (const ChartPoint& point : curve.points)
        out_.print("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\" fill-opacity=\"0.6\"/>\n", xOf(point.x),
                   yOf(point.y), color);
      return;
    }
    const std::string line = lineOf(curve);
    if (curve.kind == CurveKind::FilledSteps)
      out_.print("<path d=\"{0}V{1:.1f}H{2:.1f}z\" fill=\"{3}\" fill-opacity=\"0.45\"/>\n", line,
                 curve.fillTo ? yOf(*curve.fillTo) : bottom_, xOf(curve.points.front().x), fill);
    out_.print("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", line, color,
               curve.kind == CurveKind::Line ? "1.8" : "1");
  }

  void writeMark(const PlotMark& mark) {
    const double x = xOf(mark.at.x), y = yOf(mark.at.y);
    const std::string text = shortened(mark.text, kMarkCharacters);
    const bool isRight = x + 8 + widthOf(text, kFontSize) > kPlotRight;
    out_.print("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"#d55e00\" stroke=\"#ffffff\"/>\n", x, y);
    out_.writeText(isRight ? x - 8 : x + 8, std::max(y - 5, top_ + 10), text,
                   fmt::format("{}stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"",
                               isRight ? "text-anchor=\"end\" " : ""));
  }

  void writeStrip(const ShareStrip& strip, double y) {
    out_.writeText(kPlotLeft - 6, y + kStripHeight - 1, strip.name, kMutedEnd);
    out_.print("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#f4f4f4\"/>\n", kPlotLeft, y,
               kPlotRight - kPlotLeft, kStripHeight);
    const std::string fill = fillOf(series_, strip.series);
    const double cell = (kPlotRight - kPlotLeft) / static_cast<double>(std::max<size_t>(strip.shares.size(), 1));
    // What is busy at all is seen.
    const auto shadeOf = [&](size_t i) { return std::ceil(std::clamp(strip.shares[i], 0.0, 1.0) * kShades) / kShades; };
    for (size_t first = 0, last = 0; first < strip.shares.size(); first = last) {
      const double shade = shadeOf(first);
      for (last = first + 1; last < strip.shares.size() && shadeOf(last) == shade;) ++last;
      if (shade == 0) continue;
      out_.print("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"{}/>\n",
                 kPlotLeft + cell * static_cast<double>(first), y, cell * static_cast<double>(last - first),
                 kStripHeight, fill, shade == 1 ? std::string() : fmt::format(" fill-opacity=\"{}\"", shade));
    }
  }

  SvgCanvas& out_;
  const Plot& plot_;
  const std::vector<Series>& series_;
  const Scale x_, y_;
  double top_ = 0, bottom_ = 0;
};

}  // namespace

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

void writePlot(SvgCanvas& out, const Plot& plot, const std::vector<Series>& series) {
  PlotWriter(out, plot, series).write();
}

}  // namespace amdahlc::drawing
