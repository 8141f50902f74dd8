// The times of a run against the factor of groups: a plot for each curve.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/curves/curves_analysis.h"
#include "report/drawing/chart.h"
#include "report/outputs/output.h"
#include "report/section.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr double kPlotHeight = 160;
constexpr size_t kWall = 0, kBusy = 1, kWindow = 2, kPath = 3;

std::optional<double> wallOf(const CurvePoint& point) { return point.times.wallNs; }
std::optional<double> busyOf(const CurvePoint& point) { return static_cast<double>(point.times.busyNs); }
std::optional<double> windowOf(const CurvePoint& point) { return point.times.windowNs; }
std::optional<double> pathOf(const CurvePoint& point) { return point.pathNs; }

/// Above the others what is drawn last.
constexpr std::pair<size_t, std::optional<double> (*)(const CurvePoint&)> kDrawn[] = {
    {kPath, pathOf}, {kWindow, windowOf}, {kBusy, busyOf}, {kWall, wallOf}};

class CurvePlots {
 public:
  CurvePlots(const ReportRun& run, const CurvesAnalysis& facts) : run_(run), facts_(facts) {}

  drawing::ChartPage page(std::vector<std::string> header) const {
    drawing::ChartPage page;
    page.header = std::move(header);
    page.series = {{"wall", {"#0072b2"}}, {"busy", {"#333333"}}, {"window", {"#009e73"}}, {"path", {"#d55e00"}}};
    for (size_t series = 0; series < page.series.size(); ++series)
      if (isKnown(series)) page.legend.push_back({series, page.series[series].name});
    for (const Curve& curve : facts_.curves) page.panels.push_back(panel(curve));
    return page;
  }

 private:
  bool isKnown(size_t series) const {
    if (facts_.curves.empty()) return false;
    const CurvePoint& point = facts_.curves.front().points.front();
    return series == kWall ? point.times.wallNs.has_value() : series != kWindow || point.times.windowNs.has_value();
  }

  drawing::ChartPanel panel(const Curve& curve) const {
    drawing::Plot plot;
    plot.height = kPlotHeight;
    plot.x = {.title = "removed of the group's time, in percent", .high = 100, .roundEnds = false};
    plot.y = {.unit = drawing::Unit::Nanoseconds};
    for (const auto& [series, timeOf] : kDrawn) {
      if (!isKnown(series)) continue;
      drawing::Curve line{series, drawing::CurveKind::Line, {}, std::nullopt};
      for (const CurvePoint& point : curve.points) {
        const auto ns = static_cast<double>(run_.predictedNs(timeOf(point).value_or(0)));
        line.points.push_back({removed(point.factor), ns});
        plot.y.high = std::max(plot.y.high, ns);
      }
      plot.curves.push_back(std::move(line));
    }
    for (const CurvePoint& point : curve.points) {
      if (curve.knee == point.factor) plot.marks.push_back(mark(point, point.limitNs(), "knee"));
      if (curve.pathKnee == point.factor) plot.marks.push_back(mark(point, point.pathNs, "path knee"));
    }
    std::string title = printable(curve.selector);
    if (curve.knee && !curve.next.empty()) title += fmt::format(", then {}", printable(curve.next));
    drawing::ChartPanel panel{std::move(title), {}, {}, std::move(plot)};
    if (!curve.flat.empty()) panel.notes = {fmt::format("A faster one saves next to nothing, because {}.", curve.flat)};
    return panel;
  }

  static double removed(const Rational& factor) { return 100 * (1 - factor.toDouble()); }

  drawing::PlotMark mark(const CurvePoint& point, double totalNs, std::string_view what) const {
    return {{removed(point.factor), static_cast<double>(run_.predictedNs(totalNs))},
            fmt::format("{} {}x", what, formatBareSpeedup(point.factor))};
  }

  const ReportRun& run_;
  const CurvesAnalysis& facts_;
};

/// All times that are known, over the part of the group's time that is removed.
std::string writeCurvesChart(const OutputContext& context, ir::CoverId id) {
  const ReportRun run = reportRun(context.module, context.analyses, id);
  const auto& facts = context.analyses.get<CurvesAnalysis>(id);
  return drawing::writeCharts(
      CurvePlots(run, facts)
          .page({printable(fmt::format("{}: {}", run.module->modelName, run.cover->traceLabel)),
                 fmt::format("Times of an iteration if one group is faster ({})", describe(facts.model))}));
}

}  // namespace

constinit const Output kCurvesSvgOutput{
    .name = "curves-svg", .summary = "the same as a picture", .pass = "curves", .write = writeCurvesChart};

}  // namespace amdahlc
