// A box plot for each overhead: T1, T4 by launch call, the others by operator.
#include <fmt/format.h>

#include <algorithm>

#include "passes/host/overheads.h"
#include "report/outputs/host_charts.h"
#include "support/decimal_time.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

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

}  // namespace

drawing::ChartPanel overheadPanel(const ChartedRun& charted) {
  drawing::ChartPanel panel;
  panel.title = "Overheads of the host, over all iterations and threads";
  if (!charted.facts.overheads) {
    panel.notes = {"They are unknown, because the trace has no operators, or no calls of the device's runtime."};
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

}  // namespace amdahlc
