// The times of a run against the factor of groups: a row for each point, and a plot for each curve.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/facets/timed.h"
#include "passes/curves/curves_analysis.h"
#include "report/drawing/chart.h"
#include "report/fields.h"
#include "report/outputs/output.h"
#include "support/printable.h"

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
  CurvePlots(const CurvesAnalysis& facts, double iterations) : facts_(facts), iterations_(iterations) {}

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
        const double ns = timeOf(point).value_or(0) / iterations_;
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
    return {std::move(title), {}, {}, std::move(plot)};
  }

  static double removed(const Rational& factor) { return 100 * (1 - factor.toDouble()); }

  drawing::PlotMark mark(const CurvePoint& point, double totalNs, std::string_view what) const {
    return {{removed(point.factor), totalNs / iterations_}, fmt::format("{} {}x", what, formatSpeedup(point.factor))};
  }

  const CurvesAnalysis& facts_;
  double iterations_;
};

/// To divide totals by.
double selectedIterations(const ir::Cover& cover) {
  return static_cast<double>(std::max<int64_t>(1, cover.facets.get<ir::TimedFacet>()->run.iterations));
}

struct CurveRowOfCsv {
  const CurvesAnalysis& facts;
  const Curve& curve;
  const CurvePoint& point;
  double iterations;

  std::optional<PredictedNs> perIteration(std::optional<double> totalNs) const {
    return totalNs ? std::optional(PredictedNs{*totalNs / iterations}) : std::nullopt;
  }
  std::string knees() const {
    const bool isKnee = curve.knee == point.factor, isPathKnee = curve.pathKnee == point.factor;
    return isKnee ? isPathKnee ? "wall path" : "wall" : isPathKnee ? "path" : "";
  }
};

constexpr auto kCurveCsvFields =
    fields<CurveRowOfCsv>(field("selector", "", [](auto& row) { return row.curve.selector; }),
                          field("wall_model", "", [](auto& row) { return name(row.facts.model); }),
                          field("speedup", "", [](auto& row) { return formatSpeedup(row.point.factor); }),
                          field("factor", "", [](auto& row) { return row.point.factor.describe(); }),
                          field("busy_ns", "", [](auto& row) { return row.perIteration(busyOf(row.point)); }),
                          field("wall_ns", "", [](auto& row) { return row.perIteration(wallOf(row.point)); }),
                          field("window_ns", "", [](auto& row) { return row.perIteration(windowOf(row.point)); }),
                          field("path_ns", "", [](auto& row) { return row.perIteration(row.point.pathNs); }),
                          field("knee", "", [](auto& row) { return row.knees(); }));

std::string writeCurvesTable(const OutputContext& context, ir::CoverId id) {
  const auto& facts = context.analyses.get<CurvesAnalysis>(id);
  const double iterations = selectedIterations(context.module.cover(id));
  std::vector<CurveRowOfCsv> rows;
  for (const Curve& curve : facts.curves)
    for (const CurvePoint& point : curve.points) rows.push_back({facts, curve, point, iterations});
  return writeCsv(kCurveCsvFields, rows);
}

/// All times that are known, over the part of the group's time that is removed.
std::string writeCurvesChart(const OutputContext& context, ir::CoverId id) {
  const ir::Cover& cover = context.module.cover(id);
  const auto& facts = context.analyses.get<CurvesAnalysis>(id);
  const double iterations = selectedIterations(cover);
  // In the order of the enumerators of `WallModel`.
  static constexpr std::string_view kModels[] = {"Idle time is kept, so that wall time is a straight line.",
                                                 "Wall time is replayed.", "Wall time is unknown."};
  const std::string_view model = kModels[static_cast<size_t>(facts.model)];
  return drawing::writeCharts(CurvePlots(facts, iterations)
                                  .page({printable(fmt::format("{}: {}", context.module.modelName, cover.traceLabel)),
                                         "Times of an iteration if one group is faster", std::string(model)}));
}

}  // namespace

constinit const Output kCurvesOutput{.name = "curves",
                                     .summary = "busy, wall, window and path by speed-up of each group, as CSV",
                                     .pass = "curves",
                                     .write = writeCurvesTable,
                                     .isCsv = true};
constinit const Output kCurvesSvgOutput{
    .name = "curves-svg", .summary = "the same as a picture", .pass = "curves", .write = writeCurvesChart};

}  // namespace amdahlc
