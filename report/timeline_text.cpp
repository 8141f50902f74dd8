#include "report/timeline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/kernel_name.h"
#include "support/absence.h"
#include "support/decimal_time.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kMaxNamesInAList = 6;
// A narrower table is not readable.
constexpr size_t kMinWidth = 60;
// Of the name and count of a problem.
constexpr size_t kProblemColumns = 32;

/// `a, b, c`, or `a, b .. z (9)`.
std::string listed(std::vector<std::string> names) {
  for (std::string& name : names) name = printable(name);
  if (names.size() <= kMaxNamesInAList) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, {} .. {} ({})", names[0], names[1], names.back(), names.size());
}

void appendHeader(const Timeline& timeline, std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "trace       {} ({})\n", printable(timeline.file), timeline.format);
  if (timeline.hasDevice) {
    const Target& target = timeline.target;
    std::vector<std::string> about;
    for (const std::string& part : {target.vendor, target.arch, target.runtime})
      if (!part.empty()) about.push_back(part);
    fmt::format_to(to, "device      {} ({})\n", target.device.empty() ? "unknown" : printable(target.device),
                   fmt::join(about, ", "));
    if (!timeline.devices.empty())
      fmt::format_to(to, "            number {} of {}; `-device=` chooses\n", printable(timeline.device),
                     listed(timeline.devices));
  } else {
    fmt::format_to(to, "device      none: the self time of CPU operators counts as device time\n");
  }

  if (!timeline.hasStarts) {
    // One iteration holds all; its executions are the iterations of the run.
    fmt::format_to(to, "iterations  {}{}\n", timeline.meanOf,
                   timeline.meanOf > 1 ? "; all times are their means, and their spread is unknown" : "");
    return;
  }
  const std::vector<std::string> selected = timeline.iterationNames(LeftOut::None);
  fmt::format_to(to, "iterations  {} of {}: {}\n", selected.size(), timeline.iterations.size(), listed(selected));
  for (const LeftOutInfo& row : kLeftOutReasons)
    if (const std::vector<std::string> names = timeline.iterationNames(row.reason); !names.empty())
      fmt::format_to(to, "            {}: {}\n", row.description, listed(names));
  if (const std::string statistic = statisticText(timeline, "rows"); !statistic.empty())
    fmt::format_to(to, "            {}\n", statistic);
}

void appendTimes(const TimelineTotals& totals, const Timeline& timeline, std::string& out) {
  auto to = std::back_inserter(out);
  const bool onlyMean = timeline.meanOf > 1;
  const auto row = [&](std::string_view name, const std::optional<TimeStatistics>& known) {
    if (!known) {
      fmt::format_to(to, "  {:<8} {:>14}\n", name, "-");
      return;
    }
    const TimeStatistics& s = *known;
    if (onlyMean && name != "latency") {
      fmt::format_to(to, "  {:<8} {:>14} {:>14} {:>14} {:>12}\n", name, formatUs(s.reportedNs), "-", "-", "-");
      return;
    }
    fmt::format_to(to, "  {:<8} {:>14} {:>14} {:>14} {:>12}\n", name, formatUs(s.reportedNs), formatUs(s.meanNs),
                   formatUs(s.totalNs), formatUs(std::llround(s.standardDeviationNs)));
  };
  fmt::format_to(to, "\nper iteration          us           mean          total      std dev\n");
  row("busy", totals.busy);
  row("wall", totals.wall);
  row("idle", totals.idle);
  row("device", totals.device);
  row("window", totals.window);
  const bool hasSpillIn = totals.spillIn && totals.spillIn->totalNs > 0;
  if (hasSpillIn) row("spill-in", totals.spillIn);
  if (!timeline.latenciesNs.empty()) row("latency", timeStatistics(timeline.latenciesNs, timeline.average));
  if (!timeline.hasStarts) {
    out += fmt::format("  busy and device are the sum of all events; wall and idle are unknown, because {}\n",
                       describe(Absence{Absence::Reason::NoStarts}));
    if (!timeline.latenciesNs.empty())
      out += fmt::format("  latency is of {} whole executions, which were measured apart from the events\n",
                         timeline.latenciesNs.size());
    return;
  }
  out +=
      "  wall is from the first event's start to the last one's end; it leaves out host time\n"
      "  before the first launch, which window includes\n";
  if (hasSpillIn)
    out +=
        "  spill-in is device time whose launch is not in the trace, most often because it was before the\n"
        "  recording; wall and busy hold it\n";
}

void appendRows(std::string_view title, const std::vector<TimelineTotals::Row>& rows, size_t limit, size_t width,
                int64_t busyNs, const RuntimeAdapter* shortened, std::string& out) {
  constexpr size_t kNumberColumns = 37;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\n  {:>14} {:>8} {:>8}   {}\n", "us", "of busy", "events", title);
  const size_t shown = std::min(limit, rows.size());
  for (size_t i = 0; i < shown; ++i)
    fmt::format_to(
        to, "  {:>14} {:>7.2f}% {:>8}   {}\n", formatUs(rows[i].busy.reportedNs),
        percentOf(rows[i].busy.reportedNs, busyNs), rows[i].events,
        printable(shortened ? shortKernelName(rows[i].name, width - kNumberColumns, shortened->kernelNamespaces())
                            : rows[i].name));
  if (shown == rows.size()) return;
  TimelineTotals::Row rest;
  for (size_t i = shown; i < rows.size(); ++i) {
    rest.events += rows[i].events;
    rest.busy.reportedNs += rows[i].busy.reportedNs;
  }
  fmt::format_to(to, "  {:>14} {:>7.2f}% {:>8}   {} more\n", formatUs(rest.busy.reportedNs),
                 percentOf(rest.busy.reportedNs, busyNs), rest.events, rows.size() - shown);
}

/// Words of `text` in lines of at most `width`, each after the first indented by `indent`.
std::string wrapped(std::string_view text, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string statisticText(const Timeline& timeline, std::string_view rows) {
  if (timeline.average == Average::Mean) return "times are means";
  if (timeline.selectedIterationCount() < 2) return "";
  return fmt::format("{} are medians, times of the run those of `{}`", rows,
                     printable(timeline.iterationName(representativeIteration(timeline))));
}

std::string formatTimelineReport(const Timeline& timeline, const TimelineTotals& totals, size_t width,
                                 size_t maxKernels) {
  width = std::max(width, kMinWidth);
  std::string out;
  appendHeader(timeline, out);
  appendTimes(totals, timeline, out);
  appendRows(timeline.hasDevice ? "kernel" : "operator", totals.kernels, maxKernels, width, totals.undisturbedNs,
             &runtimeAdapter(timeline.target.runtime), out);
  appendRows(timeline.hasDevice ? "stream (device/stream)" : "thread (process/thread)", totals.streams,
             totals.streams.size(), width, totals.busy.reportedNs, nullptr, out);
  if (!timeline.problems.empty()) {
    out += "\n  data problems\n";
    for (const DataProblem& problem : timeline.problems)
      fmt::format_to(std::back_inserter(out), "  {:<22} {:>7} {}\n", printable(problem.name), problem.count,
                     wrapped(printable(problem.what), kProblemColumns + 1, width));
  }
  return out;
}

}  // namespace amdahlc
