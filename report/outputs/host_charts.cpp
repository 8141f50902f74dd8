// The output `charts`: what the streams of a run do, what its host costs, and how long its queues are, as one picture.
// It has a header, the families of kernels as its legend, and the panels of streams, overheads and queues.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "passes/host/host_analysis.h"
#include "passes/host/overheads.h"
#include "passes/host/per_iteration.h"
#include "passes/host/stream_breakdown.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "report/drawing/chart.h"
#include "report/drawing/step_columns.h"
#include "report/outputs/output.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using drawing::ChartPage;
using drawing::ChartPanel;
using drawing::ColumnRange;
using drawing::LevelChange;

/// With more, a picture has no end; the table `streams` has all.
constexpr size_t kMostStreams = 12;
constexpr std::string_view kQueueColor = "#0072b2", kBusyColor = "#333333";

ChartPage emptyPage(std::vector<std::string> header, const Absence& absence) {
  header.push_back(fmt::format("No charts: {}.", describe(absence)));
  return {std::move(header), {}, {}, {}};
}

struct FamilyColor {
  KernelFamily family;
  const char* color;
  bool hatched = false;
};
constexpr bool kHatched = true;
/// The same in all charts. Colours differ in lightness as well as in hue, and families that are alike share a colour,
/// the second of them hatched, so that colour-blind people can tell them apart. Most are those of M. Okabe and K.
/// Ito, "Color Universal Design", 2008.
constexpr FamilyColor kFamilyColors[] = {
    {KernelFamily::Gemm, "#0072b2"},
    {KernelFamily::Gemv, "#0072b2", kHatched},
    {KernelFamily::Convolution, "#56b4e9"},
    {KernelFamily::SplitK, "#56b4e9", kHatched},
    {KernelFamily::Attention, "#cc79a7"},
    {KernelFamily::Softmax, "#cc79a7", kHatched},
    {KernelFamily::Normalization, "#e69f00"},
    {KernelFamily::Reduce, "#e69f00", kHatched},
    {KernelFamily::Elementwise, "#009e73"},
    {KernelFamily::Index, "#009e73", kHatched},
    {KernelFamily::Permute, "#7a1f4f"},
    {KernelFamily::Concat, "#7a1f4f", kHatched},
    {KernelFamily::EmbeddingForward, "#8f8f2a"},
    {KernelFamily::EmbeddingBackward, "#8f8f2a", kHatched},
    {KernelFamily::Copy, "#f0e442"},
    {KernelFamily::Set, "#d8cb00", kHatched},
    {KernelFamily::Collective, "#d55e00"},
    {KernelFamily::Other, "#b0b0b0"},
};

drawing::Fill fillOf(KernelFamily family) {
  const FamilyColor& row = *std::ranges::find(kFamilyColors, family, &FamilyColor::family);
  return {row.color, row.hatched};
}

// Parts of the page.

/// Precondition of the parts below: a run whose facts are not silent.
struct ChartedRun {
  const Timeline& timeline;
  int64_t iterations;
  const HostAnalysis& facts;
  std::vector<RoundedStream> streams;
};

/// By family, its index in the series of the page.
using SeriesOfFamilies = std::array<size_t, kKernelFamilyCount>;

/// `stream 7`, printable.
std::string nameOf(const ChartedRun& charted, const RoundedStream& stream) {
  return fmt::format("stream {}", printable(charted.timeline.tracks[stream.row->track].thread));
}

constexpr size_t kMostOperators = 20;

/// Device time by family.
using FamilyTimes = std::array<int64_t, kKernelFamilyCount>;

FamilyTimes familyTimes(const RoundedTop& op) {
  FamilyTimes times{};
  for (const RoundedKernel& kernel : op.kernels) times[static_cast<size_t>(kernel.row->family)] += kernel.ns;
  return times;
}

drawing::BarRow rowOf(std::string name, const FamilyTimes& times, int64_t streamNs, const SeriesOfFamilies& series) {
  drawing::BarRow row;
  row.name = std::move(name);
  int64_t sumNs = 0;
  for (size_t family = 0; family < times.size(); ++family) {
    sumNs += times[family];
    if (times[family] > 0)
      row.parts.push_back({series[family], static_cast<double>(times[family]), formatUs(times[family]) + " us"});
  }
  row.numbers = {formatUs(sumNs), formatPercent(shareOf(sumNs, streamNs))};
  // The order of the legend, in all rows.
  std::ranges::sort(row.parts, [](auto& a, auto& b) { return a.series < b.series; });
  return row;
}

std::string describeStream(const ChartedRun& charted, const RoundedStream& rounded) {
  const StreamWork& stream = *rounded.row;
  const HostAnalysis& facts = charted.facts;
  std::string text = fmt::format("busy {} us per iteration", formatUs(perIteration(stream.busyNs, charted.iterations)));
  if (facts.wallNs) text += fmt::format(", {} of wall", formatPercent(shareOf(stream.busyNs, *facts.wallNs)));
  if (facts.windowNs) text += fmt::format(", {} of the window", formatPercent(shareOf(stream.busyNs, *facts.windowNs)));
  if (stream.startDelayNs)
    text += *stream.startDelayNs < 0
                ? fmt::format("; starts {} us before the window", formatUs(-*stream.startDelayNs))
                : fmt::format("; starts {} us after the window does", formatUs(*stream.startDelayNs));
  return text + fmt::format("; device time {} us in {}", formatUs(rounded.ns), plural(rounded.count, "event"));
}

/// A row for each top-level operator of a stream: its device time by family of kernels.
ChartPanel breakdownPanel(const ChartedRun& charted, const RoundedStream& stream, const SeriesOfFamilies& series) {
  drawing::BarTable table;
  table.rows = "top-level operator";
  table.columns = {"us per iteration", "of stream"};
  table.axis = {.title = "device time per iteration", .unit = drawing::Unit::Nanoseconds};
  table.shares = "share of kernel families, in %";
  // One row is not worth less than the line that says that it is missing.
  const size_t shown = stream.operators.size() <= kMostOperators + 1 ? stream.operators.size() : kMostOperators;
  FamilyTimes rest{};
  for (size_t i = 0; i < stream.operators.size(); ++i) {
    const RoundedTop& op = stream.operators[i];
    const FamilyTimes times = familyTimes(op);
    if (i >= shown) {
      for (size_t family = 0; family < times.size(); ++family) rest[family] += times[family];
      continue;
    }
    const std::string name = printable(charted.timeline.text(op.row->name));
    table.items.push_back(rowOf(name.empty() ? "no operator" : name, times, stream.ns, series));
    table.items.back().isRest = name.empty();
  }
  if (shown < stream.operators.size()) {
    table.items.push_back(rowOf(fmt::format("{} others", stream.operators.size() - shown), rest, stream.ns, series));
    table.items.back().isRest = true;
  }
  return {nameOf(charted, stream), {describeStream(charted, stream)}, {}, std::move(table)};
}

constexpr size_t kMostRows = 24;
/// Calls that launch take about as long; less is of no interest on its own.
constexpr double kLinearToNs = 1000;

drawing::BoxRow rowOf(const OverheadRow& overhead, const Timeline& timeline) {
  const SampleStatistics& samples = *overhead.samples;
  const auto number = [](int64_t ns) { return static_cast<double>(ns); };
  drawing::BoxRow row;
  row.name = nameOf(overhead, timeline);
  row.numbers = {fmt::format("{}", samples.count), fmt::format("{}", samples.outside), formatUs(samples.medianNs),
                 formatUs(samples.meanNs), formatUs(samples.totalNs)};
  row.lowerWhisker = number(samples.lowerWhiskerNs);
  row.lowerQuartile = number(samples.q1Ns);
  row.median = number(samples.medianNs);
  row.upperQuartile = number(samples.q3Ns);
  row.upperWhisker = number(samples.upperWhiskerNs);
  row.mean = number(samples.meanNs);
  if (samples.minNs < samples.lowerWhiskerNs) row.outside.push_back(number(samples.minNs));
  if (samples.maxNs > samples.upperWhiskerNs) row.outside.push_back(number(samples.maxNs));
  return row;
}

bool isAllZero(const OverheadRow& row) { return row.samples->minNs == 0 && row.samples->maxNs == 0; }

/// A box plot for each overhead: T1, T4 by launch call, the others by operator. Or why there are none.
ChartPanel overheadPanel(const ChartedRun& charted) {
  ChartPanel panel;
  panel.title = "Overheads of the host, over all iterations and threads";
  if (!charted.facts.overheads) {
    panel.notes = {fmt::format("They are unknown, because {}.", describe(*charted.facts.overheads.absence()))};
    return panel;
  }
  panel.notes = {"T1: between neighbouring top-level operators of a thread",
                 "T2: from the start of an operator to the start of its first launch",
                 "T3: from the end of its last launch to its end", "T4: a launch call",
                 "T5: between launches of an operator; 0 with one launch, the whole operator without any"};
  std::vector<OverheadRow> rows = overheadRows(*charted.facts.overheads);
  const size_t zeros = std::erase_if(rows, isAllZero), all = rows.size();
  const size_t shown = all <= kMostRows + 1 ? all : kMostRows;
  rows.resize(shown);
  if (shown < all || zeros > 0) {
    std::string note = "Not shown: ";
    if (shown < all) note += fmt::format("{} with smaller sums", plural(all - shown, "row"));
    if (shown < all && zeros > 0) note += ", and ";
    if (zeros > 0) note += fmt::format("{} whose samples are all 0", plural(zeros, "row"));
    panel.notes.push_back(note + "; all in -emit=overheads.");
  }
  drawing::BoxTable table;
  table.rows = "overhead, largest sum first";
  table.columns = {"samples", "outside", "median us", "mean us", "sum us"};
  table.axis = {.title = "time of a sample; linear up to about 1 us, logarithmic beyond",
                .kind = drawing::ScaleKind::LinearNearZero,
                .unit = drawing::Unit::Nanoseconds,
                .linearTo = kLinearToNs};
  for (const OverheadRow& row : rows) table.items.push_back(rowOf(row, charted.timeline));
  if (!table.items.empty()) panel.content = std::move(table);
  return panel;
}

constexpr double kQueueHeight = 66;

/// From the start of the window, or of the first event, to the end of the last event, or of the window.
ColumnRange rangeOf(const Timeline& timeline, size_t index) {
  const Iteration& iteration = timeline.iterations[index];
  const TimeInterval extent = iterationExtents(timeline, ReportedIterations(timeline))[index];
  ColumnRange range{extent.startNs, extent.endNs, drawing::kPlotColumns};
  if (iteration.startNs && iteration.endNs) {
    range.from = *iteration.startNs;
    range.to = std::max(*iteration.endNs, extent.endNs);
  }
  range.to = std::max(range.to, range.from + 1);
  return range;
}

/// The queue of each stream over one iteration, and when the stream is busy. Events of neighbouring iterations are
/// drawn where they reach into it.
class QueueCharts {
 public:
  QueueCharts(const Timeline& timeline, ColumnRange range, size_t queue, size_t busy)
      : timeline_(timeline), range_(range), queue_(queue), busy_(busy) {}

  ChartPanel panelOf(const StreamEvents& stream, std::string name) const {
    std::vector<LevelChange> changes;
    std::vector<TimeInterval> intervals;
    bool haveLaunches = false;
    for (const EventIndex event : stream.events) {
      const int64_t startNs = timeline_.startNs[event];
      intervals.push_back(timeline_.interval(event));
      const HostEventId launch = timeline_.host->launchCall(event);
      if (launch.isNone()) continue;
      haveLaunches = true;
      const int64_t launchedNs = timeline_.host->endNs(launch);
      if (launchedNs >= startNs || startNs < range_.from || launchedNs >= range_.to) continue;
      changes.push_back({launchedNs, 1});
      changes.push_back({startNs, -1});
    }
    std::ranges::sort(changes, {}, &LevelChange::at);

    drawing::Plot plot;
    plot.height = kQueueHeight;
    plot.x = {.unit = drawing::Unit::Nanoseconds, .high = xOf(range_.columns), .roundEnds = false};
    plot.y = {.wholeNumbers = true};
    const std::vector<int64_t> levels = highestLevels(changes, range_);
    const int64_t longest = *std::ranges::max_element(levels);
    plot.y.high = std::max(plot.y.high, static_cast<double>(longest));
    plot.curves = {{queue_, drawing::CurveKind::FilledSteps, stepsOf(levels)}};
    plot.strips = {{"busy", busy_, busyShares(std::move(intervals))}};
    std::string title = std::move(name) + (haveLaunches ? fmt::format(": at most {}", longest)
                                                        : std::string(": no launch of its events is in the trace"));
    return {std::move(title), {}, {}, std::move(plot)};
  }

 private:
  /// The left end of a column from the start of the range.
  double xOf(size_t column) const {
    return static_cast<double>(range_.to - range_.from) * static_cast<double>(column) /
           static_cast<double>(range_.columns);
  }

  std::vector<drawing::ChartPoint> stepsOf(const std::vector<int64_t>& levels) const {
    std::vector<drawing::ChartPoint> points;
    for (size_t column = 0; column < levels.size(); ++column)
      if (column == 0 || levels[column] != levels[column - 1])
        points.push_back({xOf(column), static_cast<double>(levels[column])});
    return points;
  }

  std::vector<double> busyShares(std::vector<TimeInterval> intervals) const {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const TimeInterval& interval : unionOf(std::move(intervals)))
      pairs.emplace_back(interval.startNs, interval.endNs);
    return coveredShares(pairs, range_);
  }

  const Timeline& timeline_;
  const ColumnRange range_;
  const size_t queue_, busy_;
};

/// The queues of these streams in one iteration. `queue` and `busy` are series of the page. O(events).
std::vector<ChartPanel> queuePanels(const ChartedRun& charted, const std::vector<const RoundedStream*>& shown,
                                    size_t queue, size_t busy) {
  const Timeline& timeline = charted.timeline;
  const size_t index = representativeIteration(timeline);
  const ColumnRange range = rangeOf(timeline, index);
  const bool hasWindow = timeline.iterations[index].startNs && timeline.iterations[index].endNs;
  std::vector<ChartPanel> panels;
  panels.push_back(
      {fmt::format("Launches in the queue of each stream, in `{}`", printable(timeline.iterationName(index))),
       {fmt::format("the iteration with the median wall time, {} us from the start of {}",
                    formatUs(range.to - range.from), hasWindow ? "its window" : "its first event"),
        "A launch is in the queue from the end of its call to the start of its event. Each column of pixels has its "
        "highest value. The strip is dark where the stream is busy."}});
  std::map<uint32_t, StreamEvents> byTrack;
  for (StreamEvents& stream : eventsByStream(timeline, timeline.selectedEvents())) {
    const uint32_t track = stream.track;
    byTrack[track] = std::move(stream);
  }
  const QueueCharts charts(timeline, range, queue, busy);
  for (const RoundedStream* stream : shown)
    panels.push_back(charts.panelOf(byTrack[stream->row->track], nameOf(charted, *stream)));
  return panels;
}

// The page.

class HostChartPage {
 public:
  HostChartPage(const ChartedRun& charted, std::vector<std::string> header) : charted_(charted) {
    page_.header = std::move(header);
  }

  ChartPage build() {
    addHeader();
    addFamilies();
    for (const RoundedStream* stream : shownStreams())
      page_.panels.push_back(breakdownPanel(charted_, *stream, series_));
    addRest();
    page_.panels.push_back(overheadPanel(charted_));
    const size_t queue = page_.series.size();
    page_.series.push_back({"queue", {std::string(kQueueColor)}});
    page_.series.push_back({"busy", {std::string(kBusyColor)}});
    for (ChartPanel& panel : queuePanels(charted_, shownStreams(), queue, queue + 1))
      page_.panels.push_back(std::move(panel));
    return std::move(page_);
  }

 private:
  void addHeader() {
    const HostAnalysis& facts = charted_.facts;
    const int64_t iterations = charted_.iterations;
    std::string line =
        fmt::format("{}, {}; {}: device time {} us", plural(charted_.timeline.selectedIterationCount(), "iteration"),
                    plural(charted_.streams.size(), "stream"),
                    charted_.timeline.average == Average::Mean ? "means" : "in the one with the median wall time",
                    formatUs(deviceNs()));
    if (facts.wallNs) line += fmt::format(", wall {} us", formatUs(perIteration(*facts.wallNs, iterations)));
    if (facts.windowNs) line += fmt::format(", window {} us", formatUs(perIteration(*facts.windowNs, iterations)));
    page_.header.push_back(std::move(line));
  }

  int64_t deviceNs() const {
    return std::accumulate(charted_.streams.begin(), charted_.streams.end(), int64_t{0},
                           [](int64_t sum, const RoundedStream& stream) { return sum + stream.ns; });
  }

  /// Those that occur are series, with the most time first.
  void addFamilies() {
    std::array<int64_t, kKernelFamilyCount> ns{};
    std::array<bool, kKernelFamilyCount> occurs{};
    for (const RoundedStream& stream : charted_.streams)
      for (const auto& family : stream.families) {
        ns[static_cast<size_t>(family.row->family)] += family.ns;
        occurs[static_cast<size_t>(family.row->family)] = true;
      }
    std::array<size_t, kKernelFamilyCount> order;
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return ns[a] > ns[b]; });
    series_.fill(0);
    for (const size_t index : order) {
      if (!occurs[index]) continue;
      const auto family = static_cast<KernelFamily>(index);
      series_[index] = page_.series.size();
      const double share = shareOf(ns[index], deviceNs());
      page_.legend.push_back(
          {page_.series.size(), fmt::format("{} {} us, {}", name(family), formatUs(ns[index]), formatPercent(share))});
      page_.series.push_back({std::string(name(family)), fillOf(family)});
    }
  }

  /// Those with the most device time, in the order of reports.
  std::vector<const RoundedStream*> shownStreams() const {
    std::vector<const RoundedStream*> all, shown;
    for (const RoundedStream& stream : charted_.streams) all.push_back(&stream);
    shown = all;
    std::ranges::stable_sort(shown, [](auto* a, auto* b) { return a->row->work.ns > b->row->work.ns; });
    shown.resize(std::min(shown.size(), kMostStreams));
    std::ranges::sort(shown);  // places in one array
    return shown;
  }

  void addRest() {
    if (charted_.streams.size() <= kMostStreams) return;
    int64_t restNs = deviceNs();
    for (const RoundedStream* stream : shownStreams()) restNs -= stream->ns;
    const size_t rest = charted_.streams.size() - kMostStreams;
    page_.panels.push_back({fmt::format("{} with less device time, together {} us per iteration",
                                        plural(rest, "more stream"), formatUs(restNs)),
                            {"All of them are in -emit=streams."}});
  }

  const ChartedRun& charted_;
  ChartPage page_;
  SeriesOfFamilies series_{};
};

/// Of a run of which the host facts are silent it says why.
std::string writeHostCharts(const OutputContext& context, ir::CoverId id) {
  const auto& facts = context.analyses.get<HostAnalysis>(id);
  const Timeline& timeline = *context.module.findTimeline(context.module.cover(id).traceLabel);
  std::vector<std::string> header{printable(fmt::format("{}: {}", context.module.modelName, timeline.label))};
  if (const auto absence = facts.absenceOfStreams())
    return drawing::writeCharts(emptyPage(std::move(header), *absence));
  const int64_t iterations = ReportedIterations(timeline).count();
  const ChartedRun charted{timeline, iterations, facts, streamsPerIteration(iterations, facts)};
  return drawing::writeCharts(HostChartPage(charted, std::move(header)).build());
}

}  // namespace

constinit const Output kChartsOutput{
    .name = "charts",
    .summary = "streams by operator and kernel family, overheads as box plots, and queues, as SVG",
    .pass = "host",
    .write = writeHostCharts};

}  // namespace amdahlc
