// A row for each top-level operator of a stream: its device time by family of kernels.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/outputs/host_charts.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using drawing::BarRow;

constexpr size_t kMostOperators = 20;

/// Device time by family.
using FamilyTimes = std::array<int64_t, kKernelFamilyCount>;

FamilyTimes familyTimes(const RoundedTop& op) {
  FamilyTimes times{};
  for (const RoundedKernel& kernel : op.kernels) times[static_cast<size_t>(kernel.row->family)] += kernel.ns;
  return times;
}

BarRow rowOf(std::string name, const FamilyTimes& times, int64_t streamNs, const SeriesOfFamilies& series) {
  BarRow row;
  row.name = std::move(name);
  int64_t sumNs = 0;
  for (size_t family = 0; family < times.size(); ++family) {
    sumNs += times[family];
    if (times[family] > 0)
      row.parts.push_back({series[family], static_cast<double>(times[family]), formatUs(times[family]) + " us"});
  }
  row.numbers = {formatUs(sumNs), formatPercent(shareOf(sumNs, streamNs))};
  // The order of the legend, in all rows.
  std::sort(row.parts.begin(), row.parts.end(), [](auto& a, auto& b) { return a.series < b.series; });
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

}  // namespace

drawing::ChartPanel breakdownPanel(const ChartedRun& charted, const RoundedStream& stream,
                                   const SeriesOfFamilies& series) {
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

}  // namespace amdahlc
