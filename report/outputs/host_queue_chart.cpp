// The queue of each stream over one iteration, and when the stream is busy. Events of neighbouring iterations are drawn
// where they reach into it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "passes/host/stream_breakdown.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "report/drawing/step_columns.h"
#include "report/outputs/host_charts.h"
#include "support/decimal_time.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using drawing::ColumnRange;
using drawing::LevelChange;

constexpr double kHeight = 66;

size_t iterationOf(const Timeline& timeline) {
  std::vector<int64_t> walls;
  for (const IterationTimes& times : iterationTimes(timeline)) walls.push_back(times.wallNs.value_or(0));
  return representativeIteration(timeline, walls);
}

/// From the start of the window, or of the first event, to the end of the last event, or of the window.
ColumnRange rangeOf(const Timeline& timeline, size_t index) {
  const Iteration& iteration = timeline.iterations[index];
  const TimeInterval extent = iterationExtents(timeline)[index];
  ColumnRange range{extent.startNs, extent.endNs, drawing::kPlotColumns};
  if (iteration.startNs && iteration.endNs) {
    range.from = *iteration.startNs;
    range.to = std::max(*iteration.endNs, extent.endNs);
  }
  range.to = std::max(range.to, range.from + 1);
  return range;
}

class QueueCharts {
 public:
  QueueCharts(const Timeline& timeline, ColumnRange range, size_t queue, size_t busy)
      : timeline_(timeline), range_(range), queue_(queue), busy_(busy) {}

  drawing::ChartPanel panelOf(const StreamEvents& stream, std::string name) const {
    std::vector<LevelChange> changes;
    std::vector<TimeInterval> intervals;
    bool haveLaunches = false;
    for (const EventIndex event : stream.events) {
      const int64_t startNs = timeline_.startNs[event];
      intervals.push_back({startNs, timeline_.endNs(event)});
      const std::optional<int64_t> launchedNs = launchedAtNs(timeline_, event);
      haveLaunches |= launchedNs.has_value();
      if (!launchedNs || *launchedNs >= startNs || startNs < range_.from || *launchedNs >= range_.to) continue;
      changes.push_back({*launchedNs, 1});
      changes.push_back({startNs, -1});
    }
    std::sort(changes.begin(), changes.end(), [](const LevelChange& a, const LevelChange& b) { return a.at < b.at; });

    drawing::Plot plot;
    plot.height = kHeight;
    plot.x = {.unit = drawing::Unit::Nanoseconds, .high = xOf(range_.columns), .roundEnds = false};
    plot.y = {.wholeNumbers = true};
    const std::vector<int64_t> levels = highestLevels(changes, range_);
    const int64_t longest = *std::max_element(levels.begin(), levels.end());
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

}  // namespace

std::vector<drawing::ChartPanel> queuePanels(const ChartedRun& charted, const std::vector<const RoundedStream*>& shown,
                                             size_t queue, size_t busy) {
  const Timeline& timeline = charted.timeline;
  const size_t index = iterationOf(timeline);
  const ColumnRange range = rangeOf(timeline, index);
  const bool hasWindow = timeline.iterations[index].startNs && timeline.iterations[index].endNs;
  std::vector<drawing::ChartPanel> panels;
  panels.push_back(
      {fmt::format("Launches in the queue of each stream, in `{}`", printable(timeline.iterations[index].name)),
       {fmt::format("the iteration with the median wall time, {} us from the start of {}",
                    formatUs(range.to - range.from), hasWindow ? "its window" : "its first event"),
        "A launch is in the queue from the end of its call to the start of its event. Each column of pixels has its "
        "highest value. The strip is dark where the stream is busy."}});
  std::map<uint32_t, StreamEvents> byTrack;
  for (StreamEvents& stream : eventsByStream(timeline)) {
    const uint32_t track = stream.track;
    byTrack[track] = std::move(stream);
  }
  const QueueCharts charts(timeline, range, queue, busy);
  for (const RoundedStream* stream : shown)
    panels.push_back(charts.panelOf(byTrack[stream->row->track], nameOf(charted, *stream)));
  return panels;
}

}  // namespace amdahlc
