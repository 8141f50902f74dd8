// Figures of the liveness of tensors: live bytes over the time of an iteration, with what the framework's allocator
// recorded, if the trace has that; and inactive periods, their lengths against the sizes of the tensors, and how many
// are at most so long.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "passes/liveness/liveness_analysis.h"
#include "report/drawing/chart.h"
#include "report/outputs/output.h"
#include "support/bytes.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using drawing::ChartPoint;
using drawing::CurveKind;
using drawing::Unit;

constexpr const char *kLocalColor = "#0072b2", *kGlobalColor = "#8c8c8c", *kMeasuredColor = "#009e73",
                     *kLimitColor = "#cc79a7";
constexpr const char* kReuse = "What the runtime reuses in place is not known from ONNX.";
/// The series of the pages; each page has a third one of its own.
constexpr size_t kLocals = 0, kGlobals = 1, kMeasured = 2, kLimit = 2;
/// Points stay so far, as a factor, from the ends of logarithmic axes.
constexpr double kMargin = 1.3;
/// Of a scatter plot: points in one of these cells look like one.
constexpr double kCellsPerUnit = 120;

/// What a figure is of.
struct FigureInput {
  const ir::Module& module;
  const ir::Cover& cover;
  const Liveness& liveness;
  /// Of the run; 1 without one.
  int64_t iterations = 1;
};

std::string titleOf(const FigureInput& input, std::string_view what) {
  const std::string& run = input.cover.traceLabel;
  return fmt::format("{} of {}{}", what, printable(input.module.modelName),
                     run.empty() ? "" : fmt::format(" in run {}", printable(run)));
}

/// What lives always.
const char* globalsOf(const FigureInput& input) {
  return input.module.isRecorded() ? "what is always there" : "weights and constants";
}

std::string unknownSizes(const Liveness& liveness) {
  const char* const verb = liveness.unknownSizes == 1 ? "is" : "are";
  return fmt::format("{} of unknown size {} left out.", plural(liveness.unknownSizes, "tensor"), verb);
}

/// Where each position begins on the time axis, and the end: kernel times one after the other, per iteration. Without
/// a run each kernel is one long.
std::vector<double> startsOf(const FigureInput& input) {
  std::vector<double> starts{0};
  int64_t totalNs = 0;
  for (SchedulePosition at = 0; at < input.liveness.kernels.size(); ++at) {
    totalNs += input.liveness.totalNs[at];
    starts.push_back(input.liveness.isMeasured ? static_cast<double>(totalNs) / static_cast<double>(input.iterations)
                                               : at + 1.0);
  }
  return starts;
}

/// At most one point for each column of the plot: the highest.
std::vector<ChartPoint> highest(const std::vector<ChartPoint>& points, double end) {
  if (points.size() <= drawing::kPlotColumns || !(end > 0)) return points;
  std::vector<ChartPoint> kept;
  const double columns = static_cast<double>(drawing::kPlotColumns);
  double column = -1;
  for (const ChartPoint& point : points) {
    const double own = std::floor(point.x / end * columns);
    if (own != column)
      kept.push_back(point);
    else
      kept.back().y = std::max(kept.back().y, point.y);
    column = own;
  }
  return kept;
}

/// What was allocated when each kernel was launched, of its first event.
std::vector<ChartPoint> measuredCurve(const FigureInput& input, const std::vector<double>& starts) {
  std::vector<ChartPoint> points;
  const Timeline* run = input.cover.traceLabel.empty() ? nullptr : input.module.findTimeline(input.cover.traceLabel);
  const auto* bound = input.cover.facets.get<ir::BoundFacet>();
  if (run == nullptr || bound == nullptr || !run->host || run->host->memory.empty()) return points;
  const HostFacts& host = *run->host;
  for (SchedulePosition at = 0; at < input.liveness.kernels.size(); ++at) {
    const EventIndex event = bound->kernels[input.liveness.kernels[at]].events.front().event;
    if (host.launch[event].isNone()) continue;
    const int64_t launchNs = host.startNs[host.launch[event]];
    const auto next = std::ranges::upper_bound(host.memory, launchNs, {}, &MemoryRecord::ns);
    if (next != host.memory.begin() && run->recordingAt((next - 1)->ns) == run->recordingAt(launchNs))
      points.push_back({starts[at], static_cast<double>((next - 1)->allocatedBytes)});
  }
  return points;
}

/// A period of a tensor of known size.
struct PeriodPoint {
  double length = 0, bytes = 0;
};

/// Of local tensors, or of globals; and how many periods have no length that a logarithmic axis could show.
std::vector<PeriodPoint> periodsOf(const FigureInput& input, bool ofGlobals, int64_t& withoutLength) {
  std::vector<PeriodPoint> points;
  const Liveness& liveness = input.liveness;
  const auto end = static_cast<int64_t>(liveness.kernels.size());
  for (const TensorId id : liveness.tensors.ids()) {
    const Tensor& tensor = liveness.tensors[id];
    if (tensor.isGlobal != ofGlobals || tensor.bytes.value_or(0) == 0) continue;
    for (const InactivePeriod& period : liveness.periods[id]) {
      const int64_t kernels = int64_t{period.to} - period.from + (period.to <= period.from ? end : 0);
      const double length = liveness.isMeasured
                                ? static_cast<double>(period.totalNs) / static_cast<double>(input.iterations)
                                : static_cast<double>(kernels);
      withoutLength += !(length > 0);
      if (length > 0) points.push_back({length, static_cast<double>(*tensor.bytes)});
    }
  }
  return points;
}

drawing::Curve scatter(size_t series, const std::vector<PeriodPoint>& periods) {
  drawing::Curve curve{series, CurveKind::Points, {}};
  std::set<std::pair<int64_t, int64_t>> cells;
  for (const PeriodPoint& period : periods)
    if (cells
            .emplace(std::llround(std::log10(period.length) * kCellsPerUnit),
                     std::llround(std::log10(period.bytes) * kCellsPerUnit))
            .second)
      curve.points.push_back({period.length, period.bytes});
  return curve;
}

/// The share of periods that are at most so long.
drawing::Curve cumulative(size_t series, std::vector<PeriodPoint> periods) {
  std::ranges::sort(periods, {}, &PeriodPoint::length);
  drawing::Curve curve{series, CurveKind::Steps, {}};
  if (periods.empty()) return curve;
  curve.points.push_back({periods.front().length, 0});
  double lastCell = -1;
  for (size_t i = 0; i < periods.size(); ++i) {
    const double share = 100 * static_cast<double>(i + 1) / static_cast<double>(periods.size());
    const double cell = std::floor(std::log10(periods[i].length) * kCellsPerUnit);
    if (i > 0 && cell == lastCell)
      curve.points.back().y = share;
    else
      curve.points.push_back({periods[i].length, share});
    lastCell = cell;
  }
  return curve;
}

/// A logarithmic axis of one quantity of all these periods.
drawing::Axis axisOf(double PeriodPoint::* quantity, std::string title, Unit unit, const std::vector<PeriodPoint>& a,
                     const std::vector<PeriodPoint>& b) {
  double low = HUGE_VAL, high = 0;
  for (const auto* points : {&a, &b})
    for (const PeriodPoint& point : *points) {
      low = std::min(low, point.*quantity);
      high = std::max(high, point.*quantity);
    }
  return {.title = std::move(title),
          .kind = drawing::ScaleKind::Logarithmic,
          .unit = unit,
          .low = high > 0 ? low / kMargin : 1,
          .high = std::max(kMargin * high, 1.0)};
}

/// Where a period is as long as two transfers, within the axes.
drawing::Curve transferLine(size_t series, const drawing::Axis& length, const drawing::Axis& size, int64_t bytesPerS) {
  const drawing::Scale x(length), y(size);
  const double bytesPerNs = static_cast<double>(bytesPerS) / 2e9;
  const double low = std::max(y.low(), x.low() * bytesPerNs), high = std::min(y.high(), x.high() * bytesPerNs);
  drawing::Curve curve{series, CurveKind::Line, {}};
  if (low < high) curve.points = {{low / bytesPerNs, low}, {high / bytesPerNs, high}};
  return curve;
}

/// The panels of the figure of live memory.
class MemoryCurves {
 public:
  explicit MemoryCurves(const FigureInput& input)
      : input_(input),
        liveness_(input.liveness),
        starts_(startsOf(input)),
        end_(std::max(starts_.back(), 1.0)),
        measured_(measuredCurve(input, starts_)) {}

  drawing::ChartPanel all() const {
    drawing::ChartPanel panel;
    panel.title = fmt::format("{} over {}, at most {} live", plural(liveness_.tensors.size(), "tensor"),
                              plural(liveness_.kernels.size(), "kernel"), formatBytesRounded(liveness_.peakBytes()));
    if (!input_.module.isRecorded()) panel.notes = {kReuse};
    if (liveness_.unknownSizes > 0) panel.notes.push_back(unknownSizes(liveness_) + " More is live than this.");
    panel.legend = {{kLocals, fmt::format("local tensors, on top of {}: at most {}",
                                          input_.module.isRecorded() ? "what is always there" : "the weights",
                                          formatBytesRounded(liveness_.peakBytes() - liveness_.globalBytes))},
                    {kGlobals, fmt::format("{}: {}", globalsOf(input_), formatBytesRounded(liveness_.globalBytes))}};
    if (!measured_.empty())
      panel.legend.push_back(
          {kMeasured, "allocated when the kernel was launched, as the trace says: with all else in that memory"});
    drawing::Plot plot = plotOf(0, measured_);
    const auto globals = static_cast<double>(liveness_.globalBytes);
    if (globals > 0 && !liveness_.kernels.empty())
      plot.curves.push_back({kGlobals, CurveKind::FilledSteps, {{0, globals}}});
    panel.content = std::move(plot);
    return panel;
  }

  drawing::ChartPanel localsAlone() const {
    drawing::ChartPanel panel;
    panel.title = "Local tensors alone";
    panel.legend = {{kLocals, "local tensors"}};
    std::vector<ChartPoint> above = measured_;
    if (!above.empty()) {
      double least = above.front().y;
      for (const ChartPoint& point : above) least = std::min(least, point.y);
      for (ChartPoint& point : above) point.y -= least;
      panel.legend.push_back({kMeasured, fmt::format("allocated, less the least that was allocated at a launch: {}",
                                                     formatBytesRounded(static_cast<int64_t>(least)))});
    }
    panel.content = plotOf(liveness_.globalBytes, above);
    return panel;
  }

 private:
  /// Live bytes less `without`, which is at most that of globals.
  drawing::Plot plotOf(int64_t without, const std::vector<ChartPoint>& measured) const {
    drawing::Plot plot;
    plot.height = without == 0 ? 260 : 170;
    plot.x = {.title = liveness_.isMeasured ? "kernel time of an iteration, in the order of the schedule"
                                            : "kernels by their ids: there is no trace, and so no time",
              .unit = liveness_.isMeasured ? Unit::Nanoseconds : Unit::Number,
              .low = 0,
              .high = end_,
              .roundEnds = false};
    std::vector<ChartPoint> live;
    for (SchedulePosition at = 0; at < liveness_.kernels.size(); ++at)
      live.push_back({starts_[at], static_cast<double>(liveness_.liveBytes[at] - without)});
    plot.curves.push_back(
        {kLocals, CurveKind::FilledSteps, highest(live, end_), static_cast<double>(liveness_.globalBytes - without)});
    if (!measured.empty()) plot.curves.push_back({kMeasured, CurveKind::Steps, highest(measured, end_)});
    auto most = static_cast<double>(liveness_.peakBytes() - without);
    for (const ChartPoint& point : measured) most = std::max(most, point.y);
    // Room for the name of the peak.
    plot.y = {
        .title = "live bytes", .unit = Unit::Bytes, .low = 0, .high = std::max(1.12 * most, 1.0), .roundEnds = false};
    if (liveness_.peak) {
      const ir::Kernel& kernel = input_.cover.kernels[liveness_.kernels[*liveness_.peak]];
      plot.marks.push_back({{starts_[*liveness_.peak], static_cast<double>(liveness_.peakBytes() - without)},
                            fmt::format("peak {} at kernel {} {}", formatBytesRounded(liveness_.peakBytes() - without),
                                        kernel.id.index(), printable(ir::kernelLabel(input_.module, kernel)))});
    }
    return plot;
  }

  const FigureInput& input_;
  const Liveness& liveness_;
  std::vector<double> starts_;
  double end_;
  std::vector<ChartPoint> measured_;
};

std::string memoryFigure(const FigureInput& input) {
  const MemoryCurves curves(input);
  drawing::ChartPage page;
  page.header = {titleOf(input, "Live memory")};
  page.series = {{"local tensors", {kLocalColor}}, {globalsOf(input), {kGlobalColor}}, {"allocated", {kMeasuredColor}}};
  page.panels = {curves.all()};
  // Where there is something below them, the changes of local tensors may be too small to be seen.
  if (input.liveness.globalBytes > 0) page.panels.push_back(curves.localsAlone());
  return drawing::writeCharts(page);
}

/// `bytesPerS` is how fast tensors are moved away.
std::string periodFigure(const FigureInput& input, int64_t bytesPerS) {
  const Liveness& liveness = input.liveness;
  int64_t withoutLength = 0;
  const std::vector<PeriodPoint> locals = periodsOf(input, false, withoutLength),
                                 globals = periodsOf(input, true, withoutLength);
  drawing::ChartPage page;
  page.header = {titleOf(input, "Inactive periods of tensors")};
  page.series = {{"local tensors", {kLocalColor}}, {globalsOf(input), {"#e69f00"}}, {"transfer", {kLimitColor}}};
  page.legend = {{kLocals, fmt::format("local tensors: {}", plural(locals.size(), "period"))},
                 {kGlobals, fmt::format("{}: {}", globalsOf(input), plural(globals.size(), "period"))}};

  drawing::ChartPanel scattered;
  scattered.title = "Size of the tensor against the length of each inactive period";
  if (withoutLength > 0)
    scattered.notes.push_back(fmt::format("{} without length left out.", plural(withoutLength, "period")));
  if (liveness.unknownSizes > 0) scattered.notes.push_back(unknownSizes(liveness));
  drawing::Plot sizes;
  sizes.height = 300;
  sizes.x = liveness.isMeasured ? axisOf(&PeriodPoint::length, "length of the inactive period (kernel time)",
                                         Unit::Nanoseconds, locals, globals)
                                : axisOf(&PeriodPoint::length, "length of the inactive period (kernels)", Unit::Number,
                                         locals, globals);
  sizes.y = axisOf(&PeriodPoint::bytes, "size of the tensor", Unit::Bytes, locals, globals);
  sizes.curves = {scatter(kGlobals, globals), scatter(kLocals, locals)};
  if (liveness.isMeasured) {
    sizes.curves.push_back(transferLine(kLimit, sizes.x, sizes.y, bytesPerS));
    scattered.legend = {{kLimit, fmt::format("right of this line the period is longer than moving the tensor out and "
                                             "back at {}",
                                             formatByteRate(bytesPerS))}};
  }
  const drawing::Axis lengths = sizes.x;
  scattered.content = std::move(sizes);
  page.panels.push_back(std::move(scattered));

  drawing::ChartPanel shares;
  shares.title = "Share of the periods that are at most so long";
  drawing::Plot distribution;
  distribution.height = 200;
  distribution.x = lengths;
  distribution.y = {.title = "percent of the periods", .low = 0, .high = 100};
  distribution.curves = {cumulative(kGlobals, globals), cumulative(kLocals, locals)};
  shares.content = std::move(distribution);
  page.panels.push_back(std::move(shares));
  return drawing::writeCharts(page);
}

std::vector<NamedDocument> writeLiveness(const OutputContext& context, ir::CoverId id) {
  const auto& facts = context.analyses.get<LivenessAnalysis>(id);
  const FigureInput input{context.module, context.module.cover(id), facts.liveness, facts.iterations};
  return {{"memory.svg", memoryFigure(input)}, {"inactive_periods.svg", periodFigure(input, facts.bytesPerS)}};
}

}  // namespace

constinit const Output kLivenessOutput{
    .name = "liveness",
    .summary = "a folder with pictures of the liveness of tensors: memory over time, inactive periods",
    .pass = "liveness",
    .write = writeLiveness,
    .isFolder = true};

}  // namespace amdahlc
