#include <fmt/format.h>

#include <algorithm>

#include "passes/emit/text_table.h"
#include "passes/emit/verdict.h"
#include "passes/emit/writers.h"
#include "passes/manager/report_values.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "timeline/totals.h"

namespace amdahlc {
namespace {

constexpr size_t kTopKernels = 20;
constexpr size_t kTopAggregates = 8;
constexpr size_t kTopUnbound = 8;

using Align = TextTable::Align;

/// Events per iteration, with a decimal if iterations differ.
std::string events(const RunReport& run, int64_t total) {
  const int64_t iterations = std::max<int64_t>(run.measured.iterations, 1);
  if (total % iterations == 0) return fmt::format("{}", total / iterations);
  return fmt::format("{:.1f}", static_cast<double>(total) / static_cast<double>(iterations));
}
class SummaryWriter {
 public:
  SummaryWriter(const Report& report, const TextStyle& style, std::span<const ReportSection> sections)
      : report_(report), style_(style), sections_(sections) {}

  std::string write() {
    if (report_.runs.empty()) nodesOnly();
    for (const RunReport& run : report_.runs) {
      if (&run != &report_.runs.front()) out_ += "\n";
      if (const auto verdict = verdictOn(run, sections_)) out_ += bold(verdict->text) + "\n";
      header(run);
      for (const ReportSection& section : sections_)
        if (const std::string text = section.caveat ? section.caveat(run.measured) : std::string(); !text.empty())
          out_ += text + "\n";
      if (run.totals) totals(run);
      for (const ReportSection& section : sections_)
        if (section.headline) out_ += section.headline(run.measured);
      kernels(run);
      if (run.totals) {
        aggregate("by category", run.byCategory, run);
        aggregate("by rule", run.byRule, run);
        aggregate("by operator type", run.byOperatorType, run);
        scopes(run);
        missed(run);
        unbound(run);
      }
      for (const ReportSection& section : sections_)
        if (const std::string text = section.details ? section.details(run.measured) : std::string(); !text.empty())
          out_ += "\n" + text;
    }
    problems();
    return std::move(out_);
  }

 private:
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
    TextTable table;
    table.column("per iteration", Align::Left);
    table.column("us", Align::Right);
    table.column("", Align::Left, true);
    table.row({"busy", formatUs(totals.busy.meanNs),
               totals.wall ? "union of device events" : "sum of device events, which have no start times"});
    if (totals.wall) {
      const int64_t idleNs = totals.idleNs.value_or(0);
      table.row({"wall", formatUs(totals.wall->meanNs),
                 "first device event to last; leaves out host time before the first launch"});
      table.row({"idle", formatUs(idleNs),
                 totals.wall->meanNs > 0
                     ? percent(static_cast<double>(idleNs) / static_cast<double>(totals.wall->meanNs)) + " of wall"
                     : ""});
    } else {
      table.row({"wall", "-", "unknown, because the trace has no start times"});
      table.row({"idle", "-", "unknown for the same reason"});
    }
    table.row(
        {"window", totals.window ? formatUs(totals.window->meanNs) : "-",
         totals.window ? "annotation or step on the host: what the user waits for" : "no annotation encloses the run"});
    if (totals.latency)
      table.row(
          {"latency", formatUs(totals.latency->meanNs),
           fmt::format("mean of {} executions, measured apart from the events", run.timeline->latenciesNs.size())});
    if (totals.spillIn && totals.spillIn->totalNs > 0)
      table.row({"spill-in", formatUs(totals.spillIn->meanNs),
                 "its launch is not in the trace, most often because it was earlier; wall and busy hold it"});
    const double device = static_cast<double>(std::max<int64_t>(totals.deviceTotalNs, 1));
    table.row({"bound", formatUs(totals.boundNs),
               percent(static_cast<double>(totals.boundTotalNs) / device) +
                   " of device time belongs to kernels of the model"});
    out_ += table.print(style_.columns);
  }

  /// The longest kernels; without a trace, the first ones with device work.
  void kernels(const RunReport& run) {
    std::vector<const KernelRow*> rows;
    for (const KernelRow& kernel : run.kernels)
      if (run.totals ? kernel.time && kernel.time->totalNs > 0 : kernel.state != ir::KernelState::NoDeviceWork)
        rows.push_back(&kernel);
    const size_t total = rows.size();
    if (run.totals)
      std::stable_sort(rows.begin(), rows.end(),
                       [](const KernelRow* a, const KernelRow* b) { return a->time->totalNs > b->time->totalNs; });
    if (rows.size() > kTopKernels) rows.resize(kTopKernels);

    heading(rows.size() < total ? fmt::format("kernels ({} of {}; all in -emit=csv or -emit=json)", rows.size(), total)
                                : "kernels");
    const bool hasPath = run.cover->facets.find(ir::Facet::CriticalPath) != nullptr;
    TextTable table;
    table.column("id", Align::Right);
    table.column("kernel", Align::Left, true);
    table.column("category", Align::Left, true);
    table.column("first node", Align::Left, true);
    if (run.totals) {
      table.column("us", Align::Right);
      table.column("share", Align::Right);
      table.column("limit", Align::Right);
      if (hasPath) table.column("path", Align::Left);
    }
    for (const KernelRow* kernel : rows) {
      std::vector<std::string> cells = {fmt::format("{}", kernel->id.index()), kernel->label, kernel->category,
                                        kernel->nodes.front()};
      if (run.totals) {
        cells.push_back(formatUs(kernel->time->meanNs));
        cells.push_back(percent(kernel->shares->ratio));
        cells.push_back(times(kernel->shares->maxSpeedup));
        if (hasPath) cells.push_back(kernel->critical.value_or(false) ? "*" : "");
      }
      table.row(std::move(cells));
    }
    out_ += table.print(style_.columns);
    if (run.totals)
      out_ +=
          "  share: of busy time; limit: busy time's speed-up if this kernel cost nothing; *: on the critical path\n";
  }

  /// The last line of a table that shows the first `limit` of `total` rows.
  void countOthers(size_t total, size_t limit) {
    if (total > limit) out_ += fmt::format("  and {} more\n", total - limit);
  }

  void aggregate(std::string_view title, const std::vector<const AggregateRow*>& rows, const RunReport& run) {
    if (rows.empty()) return;
    TextTable table;
    table.column(std::string(title), Align::Left, true);
    table.column("kernels", Align::Right);
    table.column("events", Align::Right);
    table.column("us", Align::Right);
    table.column("share", Align::Right);
    table.column("limit", Align::Right);
    const size_t shown = std::min(rows.size(), kTopAggregates);
    for (size_t i = 0; i < shown; ++i) {
      const AggregateRow& row = *rows[i];
      table.row({row.name, fmt::format("{}", row.kernels), events(run, row.eventsTotal), formatUs(row.time.meanNs),
                 percent(row.shares.ratio), times(row.shares.maxSpeedup)});
    }
    out_ += "\n" + table.print(style_.columns);
    countOthers(rows.size(), kTopAggregates);
  }

  void aggregate(std::string_view title, const std::vector<AggregateRow>& rows, const RunReport& run) {
    std::vector<const AggregateRow*> pointers;
    for (const AggregateRow& row : rows) pointers.push_back(&row);
    aggregate(title, pointers, run);
  }

  /// The scopes with the longest times, each with all scopes inside.
  void scopes(const RunReport& run) {
    std::vector<const AggregateRow*> rows;
    for (const ScopeRow& row : run.byScope) rows.push_back(&row.inclusive);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const AggregateRow* a, const AggregateRow* b) { return a->time.totalNs > b->time.totalNs; });
    aggregate("by module scope, with all inside", rows, run);
  }

  void missed(const RunReport& run) {
    std::vector<const KernelRow*> rows;
    for (const KernelRow& kernel : run.kernels)
      if (kernel.state == ir::KernelState::Unbound) rows.push_back(&kernel);
    if (rows.empty()) return;
    heading(fmt::format("kernels without an event: {}", rows.size()));
    TextTable table;
    table.column("id", Align::Right);
    table.column("kernel", Align::Left, true);
    table.column("first node", Align::Left, true);
    table.column("reason", Align::Left, true);
    for (size_t i = 0; i < std::min(rows.size(), kTopUnbound); ++i)
      table.row({fmt::format("{}", rows[i]->id.index()), rows[i]->label, rows[i]->nodes.front(), rows[i]->missReason});
    out_ += table.print(style_.columns);
    countOthers(rows.size(), kTopUnbound);
  }

  void unbound(const RunReport& run) {
    if (run.unbound.empty()) return;
    heading(fmt::format("device time without a kernel of the model: {} us", formatUs(run.totals->unboundNs)));
    TextTable table;
    table.column("event", Align::Left, true);
    table.column("events", Align::Right);
    table.column("us", Align::Right);
    table.column("class", Align::Left, true);
    table.column("reason", Align::Left, true);
    for (size_t i = 0; i < std::min(run.unbound.size(), kTopUnbound); ++i) {
      const UnboundRow& row = run.unbound[i];
      table.row({row.name, events(run, row.eventsTotal), formatUs(row.meanNs), row.category, row.reason});
    }
    out_ += table.print(style_.columns);
    countOthers(run.unbound.size(), kTopUnbound);
  }

  void problems() {
    if (report_.problems.empty()) return;
    heading("data problems");
    TextTable table;
    table.column("problem", Align::Left);
    table.column("count", Align::Right);
    table.column("what", Align::Left, true);
    for (const DataProblem& problem : report_.problems)
      table.row({problem.name, fmt::format("{}", problem.count), problem.what});
    out_ += table.print(style_.columns);
  }

  const Report& report_;
  const TextStyle& style_;
  std::span<const ReportSection> sections_;
  std::string out_;
};

}  // namespace

std::string writeSummary(const Report& report, const TextStyle& style, std::span<const ReportSection> sections) {
  return SummaryWriter(report, style, sections).write();
}

}  // namespace amdahlc
