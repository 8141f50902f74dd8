#include <fmt/format.h>

#include <algorithm>

#include "passes/manager/report_values.h"
#include "replay/timeline/totals.h"
#include "report/comparison_tables.h"
#include "report/measured_runs.h"
#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "report/outputs/rank_writers.h"
#include "report/report.h"
#include "report/spread.h"
#include "report/text_table.h"
#include "report/verdict.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

constexpr size_t kTopKernels = 20;
constexpr size_t kTopAggregates = 8;
constexpr size_t kTopUnbound = 8;

using Align = TextTable::Align;

/// Events per iteration, with a decimal if iterations differ.
std::string events(const RunReport& run, int64_t total) {
  const int64_t iterations = run.measured.iterations;
  if (total % iterations == 0) return fmt::format("{}", total / iterations);
  return fmt::format("{:.1f}", static_cast<double>(total) / static_cast<double>(iterations));
}
class SummaryWriter {
 public:
  SummaryWriter(const Report& report, const TextStyle& style, const ReportOptions& options)
      : report_(report), style_(style), options_(options) {}

  std::string write() {
    if (report_.runs.empty()) nodesOnly();
    const bool sideBySide = areBeforeAndAfter();
    for (const RunReport& run : report_.runs) {
      if (&run != &report_.runs.front()) out_ += "\n";
      overview(run);
      if (!sideBySide) {
        tables(run);
        remainders(run);
      }
      if (options_.baseline && run.totals) withBaseline(run);
    }
    if (sideBySide) {
      out_ += "\n";
      compared(measuredRun(report_.runs[0]), report_.runs[1]);
      for (const RunReport& run : report_.runs) {
        const size_t start = out_.size();
        remainders(run);
        if (out_.size() > start)
          out_.insert(start, fmt::format("\nrun {}\n", bold(fmt::format("`{}`", printable(run.label)))));
      }
    }
    if (options_.ranks) ranks();
    problems();
    return std::move(out_);
  }

 private:
  /// What the other ranks of the run tell.
  void ranks() {
    out_ += "\n";
    for (const std::string& line : rankHeadlines(*options_.ranks)) out_ += line + "\n";
    out_ += "`-emit=ranks` compares the ranks\n";
  }

  /// Two runs, but not two devices of one trace.
  bool areBeforeAndAfter() const {
    if (report_.runs.size() != 2 || !report_.runs[0].totals || !report_.runs[1].totals) return false;
    const Timeline &a = *report_.runs[0].timeline, &b = *report_.runs[1].timeline;
    return a.contentHash != b.contentHash || a.device == b.device;
  }

  /// What a run took in all, and how far to trust it.
  void overview(const RunReport& run) {
    if (const auto verdict = verdictOn(run)) {
      out_ += bold(verdict->text) + "\n";
      for (const std::string& advice : verdict->advice) out_ += fmt::format("advice: {}\n", advice);
    }
    header(run);
    for (const std::string& caveat : caveatsOn(run)) out_ += caveat + "\n";
    if (run.totals) totals(run);
    if (options_.medians && run.totals)
      out_ += run.onlyMeans() ? "note: all times are means; medians are unknown\n"
                              : "note: times in columns `us (median)` are medians, all others are means\n";
    out_ += outlierLines(run);
    for (const ReportSection* section : reportSections())
      if (section->headline) out_ += section->headline(run.measured);
  }

  void tables(const RunReport& run) {
    kernels(run);
    if (!run.totals) return;
    aggregate("by category", run.byCategory, run);
    aggregate("by rule", run.byRule, run);
    aggregate("by operator type", run.byOperatorType, run);
    scopes(run);
  }

  /// What no table of kernels has, and what passes add.
  void remainders(const RunReport& run) {
    if (run.totals) {
      missed(run);
      unbound(run);
    }
    for (const ReportSection* section : reportSections())
      if (const std::string text = section->details ? section->details(run.measured) : std::string(); !text.empty())
        out_ += "\n" + text;
  }

  void compared(const comparison::MeasuredRun& before, const RunReport& after) {
    out_ += comparisonTables(compare(before, measuredRun(after)), style_, options_);
  }

  void withBaseline(const RunReport& run) {
    out_ += "\n";
    const comparison::MeasuredRun* before = runBefore(*options_.baseline, run, report_.runs.size());
    if (before == nullptr) {
      out_ += fmt::format("WARNING: {}\n", whyNotCompared(*options_.baseline, run));
      return;
    }
    compared(*before, run);
  }

  size_t rows(size_t usual) const { return options_.top ? static_cast<size_t>(*options_.top) : usual; }

  /// Of times that are means themselves, no median is known.
  bool showsMedians(const RunReport& run) const { return options_.medians && !run.onlyMeans(); }

  int64_t figure(const RunReport& run, const TimeStatistics& time) const {
    return showsMedians(run) ? time.medianNs : time.meanNs;
  }

  std::string timeTitle(const RunReport& run) const { return showsMedians(run) ? "us (median)" : "us"; }

  std::string bold(const std::string& text) const { return style_.color ? "\033[1m" + text + "\033[0m" : text; }

  void heading(std::string_view text) { out_ += "\n" + bold(std::string(text)) + "\n"; }

  void nodesOnly() {
    out_ += fmt::format("{}: {}; no kernels, because `fuse` did not run\n", bold(printable(report_.module->modelName)),
                        plural(report_.module->ops.size(), "node"));
  }

  void header(const RunReport& run) {
    out_ += bold(printable(report_.module->modelName));
    if (run.timeline) {
      out_ += fmt::format(" on {}", bold(printable(run.timeline->file)));
      std::string device = printable(run.target.device.empty() ? run.target.vendor : run.target.device);
      if (!run.timeline->devices.empty())
        device += fmt::format("{}device {}, one of {}", device.empty() ? "" : "; ", printable(run.timeline->device),
                              run.timeline->devices.size());
      if (!device.empty()) out_ += fmt::format(" ({})", device);
      if (run.label != run.timeline->file) out_ += fmt::format(", run `{}`", printable(run.label));
    }
    out_ += "\n";
    if (run.timeline) return;
    const auto work = std::count_if(run.kernels.begin(), run.kernels.end(),
                                    [](const KernelRow& k) { return k.state != ir::KernelState::NoDeviceWork; });
    out_ += fmt::format("{} with device work, {} without; no times, because {}\n", plural(work, "kernel"),
                        static_cast<int64_t>(run.kernels.size()) - work,
                        report_.module->timelines.empty() ? "there is no trace" : "no run is bound");
  }

  /// The iterations that do not count, by reason; empty if all count.
  static std::string leftOut(const Timeline& timeline) {
    std::string text;
    for (const LeftOutInfo& row : kLeftOutReasons) {
      std::string names;
      for (const std::string& name : timeline.iterationNames(row.reason))
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", printable(name));
      if (!names.empty()) text += fmt::format("; {} {}", names, row.description);
    }
    return text;
  }

  void totals(const RunReport& run) {
    const TraceTotals& totals = *run.totals;
    out_ += fmt::format("{}, {}{}{}\n", plural(totals.iterations, "iteration"),
                        plural(totals.deviceEvents, "device event"), leftOut(*run.timeline),
                        run.onlyMeans() ? "; all times are means, and their spread is unknown" : "");
    const bool spread = hasSpread(run);
    TextTable table;
    table.column("per iteration", Align::Left);
    table.column(timeTitle(run), Align::Right);
    if (spread) table.column("spread", Align::Left);
    table.column("", Align::Left, true);
    const auto row = [&](std::string name, std::string us, const TimeStatistics* time, std::string what) {
      std::vector<std::string> cells{std::move(name), std::move(us)};
      if (spread) cells.push_back(time ? spreadOf(*time) : "");
      cells.push_back(std::move(what));
      table.row(std::move(cells));
    };
    const auto timeRow = [&](std::string name, const TimeStatistics& time, std::string what) {
      row(std::move(name), formatUs(figure(run, time)), &time, std::move(what));
    };
    timeRow("busy", totals.busy,
            totals.wall ? "union of device events" : "sum of device events, which have no start times");
    if (totals.wall) {
      timeRow("wall", *totals.wall, "first device event to last; leaves out host time before the first launch");
      timeRow("idle", *totals.idle,
              totals.wall->totalNs > 0 ? formatPercent(static_cast<double>(totals.idle->totalNs) /
                                                       static_cast<double>(totals.wall->totalNs)) +
                                             " of wall"
                                       : "");
    } else {
      row("wall", "-", nullptr, "unknown, because the trace has no start times");
      row("idle", "-", nullptr, "unknown for the same reason");
    }
    if (totals.window)
      timeRow("window", *totals.window, "annotation or step on the host: what the user waits for");
    else
      row("window", "-", nullptr, "no annotation encloses the run");
    if (totals.latency)
      row("latency", formatUs(figure(run, *totals.latency)), nullptr,
          fmt::format("{} of {} executions, measured apart from the events", showsMedians(run) ? "median" : "mean",
                      run.timeline->latenciesNs.size()));
    if (totals.spillIn && totals.spillIn->totalNs > 0)
      timeRow("spill-in", *totals.spillIn,
              "its launch is not in the trace, most often because it was earlier; wall and busy hold it");
    const double device = static_cast<double>(std::max<int64_t>(totals.deviceTotalNs, 1));
    row(showsMedians(run) ? "bound (mean)" : "bound", formatUs(totals.boundNs), nullptr,
        formatPercent(static_cast<double>(totals.boundTotalNs) / device) +
            " of device time belongs to kernels of the model");
    out_ += table.print(style_.columns);
  }

  /// The longest kernels; without a trace, the first ones with device work.
  void kernels(const RunReport& run) {
    std::vector<const KernelRow*> shown;
    for (const KernelRow& kernel : run.kernels)
      if (run.totals ? kernel.time && kernel.time->totalNs > 0 : kernel.state != ir::KernelState::NoDeviceWork)
        shown.push_back(&kernel);
    const size_t total = shown.size();
    if (run.totals)
      std::stable_sort(shown.begin(), shown.end(), [&](const KernelRow* a, const KernelRow* b) {
        if (figure(run, *a->time) != figure(run, *b->time)) return figure(run, *a->time) > figure(run, *b->time);
        return a->time->totalNs > b->time->totalNs;
      });
    if (shown.size() > rows(kTopKernels)) shown.resize(rows(kTopKernels));

    heading(shown.size() < total
                ? fmt::format("kernels ({} of {}; all in -emit=csv or -emit=json)", shown.size(), total)
                : "kernels");
    const bool hasPath = run.cover->facets.has(ir::Facet::CriticalPath);
    const bool hasTrips = std::any_of(shown.begin(), shown.end(), [](const KernelRow* row) { return row->trips; });
    const bool spread = hasSpread(run);
    const bool wall = run.totals && run.totals->wall;
    TextTable table;
    table.column("id", Align::Right);
    table.column("kernel", Align::Left, true);
    table.column("category", Align::Left, true);
    table.column("first node", Align::Left, true);
    if (hasTrips) table.column("trips", Align::Right);
    if (run.totals) {
      table.column(timeTitle(run), Align::Right);
      if (spread) table.column("spread", Align::Left);
      table.column("share", Align::Right);
      table.column("limit", Align::Right);
      if (wall) table.column("of wall", Align::Right);
      if (hasPath) table.column("path", Align::Left);
    }
    for (const KernelRow* kernel : shown) {
      std::vector<std::string> cells = {fmt::format("{}", kernel->id.index()), kernel->label, kernel->category,
                                        kernel->nodes.front()};
      if (hasTrips) cells.push_back(kernel->trips ? fmt::format("{}", *kernel->trips) : "");
      if (run.totals) {
        cells.push_back(formatUs(figure(run, *kernel->time)));
        if (spread) cells.push_back(spreadOf(*kernel->time));
        addShares(*kernel->shares, wall, cells);
        if (hasPath) cells.push_back(kernel->critical.value_or(false) ? "*" : "");
      }
      table.row(std::move(cells));
    }
    out_ += table.print(style_.columns);
    if (run.totals) legend(run, hasPath, hasTrips);
  }

  static void addShares(const Shares& shares, bool wall, std::vector<std::string>& cells) {
    cells.push_back(formatPercent(shares.ratio));
    cells.push_back(times(shares.maxSpeedup));
    if (wall) cells.push_back(times(shares.maxSpeedupWall));
  }

  void legend(const RunReport& run, bool hasPath, bool hasTrips) {
    out_ += fmt::format("  share: of busy time; limit: busy time's speed-up if this kernel cost nothing{}{}{}\n",
                        run.totals->wall ? "; of wall: wall time's, with idle time kept" : "",
                        hasPath ? "; *: on the critical path" : "",
                        showsMedians(run) ? "; share and limit are of all iterations together" : "");
    if (hasSpread(run))
      out_ += "  spread: standard deviation over the mean; !: slow iterations pull the mean above the median\n";
    if (hasTrips) out_ += "  trips: of the loop around the kernel in an iteration; the time is that of all of them\n";
  }

  /// The last line of a table that shows the first `limit` of `total` rows.
  void countOthers(size_t total, size_t limit) {
    if (total > limit) out_ += fmt::format("  and {} more\n", total - limit);
  }

  void aggregate(std::string_view title, const std::vector<const AggregateRow*>& all, const RunReport& run) {
    if (all.empty()) return;
    TextTable table;
    table.column(std::string(title), Align::Left, true);
    table.column("kernels", Align::Right);
    table.column("events", Align::Right);
    table.column(timeTitle(run), Align::Right);
    table.column("share", Align::Right);
    table.column("limit", Align::Right);
    const bool wall = run.totals->wall.has_value();
    if (wall) table.column("of wall", Align::Right);
    const size_t shown = std::min(all.size(), rows(kTopAggregates));
    for (size_t i = 0; i < shown; ++i) {
      const AggregateRow& row = *all[i];
      std::vector<std::string> cells{row.name, fmt::format("{}", row.kernels), events(run, row.eventsTotal),
                                     formatUs(figure(run, row.time))};
      addShares(row.shares, wall, cells);
      table.row(std::move(cells));
    }
    out_ += "\n" + table.print(style_.columns);
    countOthers(all.size(), rows(kTopAggregates));
  }

  void aggregate(std::string_view title, const std::vector<AggregateRow>& all, const RunReport& run) {
    std::vector<const AggregateRow*> pointers;
    for (const AggregateRow& row : all) pointers.push_back(&row);
    aggregate(title, pointers, run);
  }

  /// The scopes with the longest times, each with all scopes inside.
  void scopes(const RunReport& run) {
    std::vector<const AggregateRow*> all;
    for (const ScopeRow& row : run.byScope) all.push_back(&row.inclusive);
    std::stable_sort(all.begin(), all.end(),
                     [](const AggregateRow* a, const AggregateRow* b) { return a->time.totalNs > b->time.totalNs; });
    aggregate("by module scope, with all inside", all, run);
  }

  void missed(const RunReport& run) {
    std::vector<const KernelRow*> all;
    for (const KernelRow& kernel : run.kernels)
      if (kernel.state == ir::KernelState::Unbound) all.push_back(&kernel);
    if (all.empty()) return;
    heading(fmt::format("kernels without an event: {}", all.size()));
    TextTable table;
    table.column("id", Align::Right);
    table.column("kernel", Align::Left, true);
    table.column("first node", Align::Left, true);
    // Whole, because half a reason is none.
    table.column("reason", Align::Left);
    for (size_t i = 0; i < std::min(all.size(), rows(kTopUnbound)); ++i)
      table.row({fmt::format("{}", all[i]->id.index()), all[i]->label, all[i]->nodes.front(), all[i]->missReason});
    out_ += table.print(style_.columns);
    countOthers(all.size(), rows(kTopUnbound));
  }

  void unbound(const RunReport& run) {
    if (run.unbound.empty()) return;
    heading(fmt::format("device time without a kernel of the model: {} us{}", formatUs(run.totals->unboundNs),
                        showsMedians(run) ? " (mean)" : ""));
    // Names of device kernels come last: some have a thousand characters.
    TextTable table;
    table.column(showsMedians(run) ? "us (mean)" : "us", Align::Right);
    table.column("events", Align::Right);
    table.column("class", Align::Left);
    table.column("reason", Align::Left);
    table.column("event", Align::Left, true);
    for (size_t i = 0; i < std::min(run.unbound.size(), rows(kTopUnbound)); ++i) {
      const UnboundRow& row = run.unbound[i];
      table.row({formatUs(row.meanNs), events(run, row.eventsTotal), row.category, row.reason, row.name});
    }
    out_ += table.print(style_.columns);
    countOthers(run.unbound.size(), rows(kTopUnbound));
  }

  void problems() {
    if (report_.problems.empty()) return;
    heading("data problems");
    TextTable table;
    table.column("problem", Align::Left);
    table.column("count", Align::Right);
    table.column("what", Align::Left);
    for (const DataProblem& problem : report_.problems)
      table.row({problem.name, fmt::format("{}", problem.count), problem.what});
    out_ += table.print(style_.columns);
  }

  const Report& report_;
  const TextStyle& style_;
  const ReportOptions& options_;
  std::string out_;
};

}  // namespace

constinit const Output kSummaryOutput{
    .name = kDefaultOutput,
    .summary = "tables for a terminal: totals, top kernels, aggregates, unbound time, what-ifs",
    .write =
        [](const OutputContext& context) {
          return SummaryWriter(context.reported(), context.style, context.report).write();
        },
    .baseline = Output::BaselineUse::IfGiven,
    .options = kOptionsOfTables};

}  // namespace amdahlc
