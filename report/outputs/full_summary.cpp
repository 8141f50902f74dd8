#include <fmt/format.h>

#include <algorithm>

#include "passes/advise/advice.h"
#include "replay/timeline/totals.h"
#include "report/fields_text.h"
#include "report/measured_runs.h"
#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/run_fields.h"
#include "report/outputs/summary_parts.h"
#include "report/report.h"
#include "report/spread.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using comparison::Change;
using comparison::Difference;

constexpr size_t kTopKernels = 20;
constexpr size_t kTopAggregates = 8;
constexpr size_t kTopUnbound = 8;

// Two runs side by side.

std::string differenceOf(const Difference& row) {
  return row.isUnknown() ? "" : (row.differenceNs() > 0 ? "+" : "") + formatUs(row.differenceNs());
}

/// Tables of totals, kernels, categories and scopes, before and after, the largest difference first.
class ComparisonTables {
 public:
  ComparisonTables(const comparison::Comparison& comparison, const TextStyle& style, const ReportOptions& options)
      : comparison_(comparison), style_(style), options_(options) {}

  std::string write() {
    const std::string title =
        fmt::format("before: {}; after: {}", runName(comparison_.before), runName(comparison_.after));
    out_ += style_.bold(title) + "\n";
    for (const std::string& caveat : comparison_.caveats) out_ += fmt::format("WARNING: {}\n", caveat);
    table("per iteration", comparison_.totals, comparison_.totals.size(), false);
    out_ += "\n";
    if (comparison_.kernels.empty())
      out_ += "no kernel has a time to compare\n";
    else
      table("kernel", comparison_.kernels, options_.rows(kTopKernels), true);
    groups("by category", comparison_.categories);
    groups("by module scope, with all inside", comparison_.scopes);
    legend();
    return std::move(out_);
  }

 private:
  void groups(const std::string& title, const std::vector<Difference>& differences) {
    if (differences.empty()) return;
    out_ += "\n";
    table(title, differences, options_.rows(kTopAggregates), false);
  }

  void table(const std::string& title, const std::vector<Difference>& differences, size_t shown, bool hasNodes) {
    out_ += writeText(differences,
                      {column(title, kText, [](const Difference& row) { return row.name; }),
                       column("first node", kText, [](const Difference& row) { return row.node; }).onlyIf(hasNodes),
                       column("before us", kMicroseconds, [](const Difference& row) { return nsOf(row.before); }),
                       column("after us", kMicroseconds, [](const Difference& row) { return nsOf(row.after); }),
                       column("difference", kNumber, [](const Difference& row) { return differenceOf(row); }),
                       column("change", kNumber, [](const Difference& row) { return changeOf(row); }),
                       column("", kWord, [](const Difference& row) { return markOf(row); })},
                      style_.columns, {shown});
    for (size_t i = 0; i < std::min(shown, differences.size()); ++i)
      if (const Difference& row = differences[i]; !row.isOnlyBefore() && !row.isOnlyAfter())
        shown_.push_back(row.judgement.change);
  }

  void legend() { out_ += legendOf(shown_); }

  const comparison::Comparison& comparison_;
  const TextStyle& style_;
  const ReportOptions& options_;
  /// The changes that the tables show.
  std::vector<Change> shown_;
  std::string out_;
};

// One run.

/// Events per iteration, of a total over the reported ones; with a decimal if iterations differ.
std::string events(const RunReport& run, int64_t total) {
  const int64_t iterations = run.iterations;
  if (total % iterations == 0) return fmt::format("{}", total / iterations);
  return fmt::format("{:.1f}", static_cast<double>(total) / static_cast<double>(iterations));
}

/// A line of the table of totals.
struct TotalRow {
  std::string_view name;
  /// nullopt if it is unknown.
  std::optional<int64_t> ns;
  std::string what;
  /// Null where nothing is said of its spread.
  const TimeStatistics* time = nullptr;
};

class SummaryWriter {
 public:
  SummaryWriter(const Report& report, const TextStyle& style, const ReportOptions& options)
      : report_(report), style_(style), options_(options) {}

  std::string write() {
    if (report_.runs.empty()) out_ += describeWithoutKernels(*report_.module, style_) + "\n";
    const bool sideBySide = isBeforeAndAfter(report_);
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
          out_.insert(start, fmt::format("\nrun {}\n", style_.bold(fmt::format("`{}`", printable(run.label)))));
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

  /// What a run took in all, and how far to trust it.
  void overview(const RunReport& run) {
    if (run.verdict) out_ += style_.bold(run.verdict->whole()) + "\n";
    if (run.verdict && !run.verdict->advice.empty()) out_ += fmt::format("advice: {}\n", run.verdict->advice);
    header(run);
    if (const std::string caveat = run.caveatBesideVerdict(); !caveat.empty()) out_ += caveat + "\n";
    if (run.totals) totals(run);
    out_ += outlierLines(run);
    for (const ReportSection* section : reportSections())
      if (section->headline) out_ += section->headline(run);
  }

  void tables(const RunReport& run) {
    kernels(run);
    if (!run.totals) return;
    aggregate("by category", kGroupRows<&RunReport::byCategory>(run), run);
    aggregate("by rule", kGroupRows<&RunReport::byRule>(run), run);
    if (report_.module->isRecorded())
      aggregate("by operator", kGroupRows<&RunReport::byOperator>(run), run);
    else
      aggregate("by operator type", kGroupRows<&RunReport::byOperatorType>(run), run);
    scopes(run);
    if (haveOtherShares(run))
      out_ += fmt::format(
          "  us: the median of the group; share and limit: of {} busy time, in which each kernel takes {}. Iterations "
          "differ, so that a share is not us over busy\n",
          run.undisturbedWord(), run.countedTime());
  }

  /// Whether iterations differ so much that shares of groups are not what their times divide to.
  static bool haveOtherShares(const RunReport& run) {
    const auto differs = [](const AggregateRow& row) { return isUndisturbed(row.undisturbedNs, row.time.reportedNs); };
    return std::ranges::any_of(run.byRule, differs) || std::ranges::any_of(run.byCategory, differs);
  }

  /// What no table of kernels has, and what passes add.
  void remainders(const RunReport& run) {
    if (run.totals) {
      missed(run);
      unbound(run);
    }
    for (const ReportSection* section : reportSections())
      if (const std::string text = section->details ? section->details(run) : std::string(); !text.empty())
        out_ += "\n" + text;
  }

  void compared(const comparison::MeasuredRun& before, const RunReport& after) {
    out_ += ComparisonTables(compare(before, measuredRun(after)), style_, options_).write();
  }

  void withBaseline(const RunReport& run) {
    out_ += "\n";
    const auto before = runBefore(*options_.baseline, run, report_.runs.size());
    if (before)
      compared(**before, run);
    else
      out_ += fmt::format("WARNING: {}\n", describe(*before.absence()));
  }

  void heading(std::string_view text) { out_ += "\n" + style_.bold(text) + "\n"; }

  void header(const RunReport& run) {
    const bool isProgram = report_.module->isRecorded();
    out_ += describeRun(run, style_);
    if (run.timeline && run.label != run.timeline->file) out_ += fmt::format(", run `{}`", printable(run.label));
    out_ += "\n";
    if (isProgram && report_.module->hasDataEdges())
      out_ += fmt::format(
          "no model: the graph is the calls of the run, {}, with {} of calls of which one reads what the other one "
          "wrote\n",
          plural(report_.module->ops.size(), "operator"), plural(report_.module->dataEdges, "pair"));
    else if (isProgram)
      out_ += fmt::format(
          "no model: the graph is {} in the order of the calls; no trace has the tensors between them, so that nothing "
          "tells what could be fused, how long tensors live, and what waits for what\n",
          plural(report_.module->ops.size(), "operator"));
    if (run.timeline && run.timeline->host && run.timeline->host->traced) tracedCalls(*run.timeline->host->traced);
    if (!run.timeline) out_ += describeWithoutTimes(run) + "\n";
  }

  void tracedCalls(const TracedCalls& traced) {
    out_ += fmt::format(
        "execution trace {}: {} of {} are linked; it tells the operands of {}, and autograd's numbers "
        "of {}, which the trace does not\n",
        printable(traced.file), traced.linked, plural(traced.calls, "call"), traced.operands, traced.numbers);
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

  /// What the times are of.
  static std::string shownOf(const RunReport& run) {
    if (run.onlyMeans()) return "all times are means, and their spread is unknown";
    if (run.timeline->average == Average::Mean) return "times are means";
    const std::optional<double>& disturbed = run.totals->disturbedRatio;
    const int64_t iterations = run.timeline->selectedIterationCount();
    std::string text =
        disturbed
            ? *disturbed > 0 ? fmt::format("disturbance {} of mean busy", formatPercent(*disturbed)) : "no disturbance"
        : iterations == 2 ? "two do not tell which one is typical"
                          : "too few to see what disturbed the run";
    if (iterations < 2) return text;
    return fmt::format("{}; kernels are {}, times of the run those of `{}`", text,
                       iterations == 2 ? "the lesser of two times" : "medians",
                       printable(run.timeline->iterationName(representativeIteration(*run.timeline))));
  }

  void totals(const RunReport& run) {
    const TraceTotals& totals = *run.totals;
    out_ += fmt::format("{}, {}{}; {}\n", plural(totals.iterations, "iteration"),
                        plural(totals.deviceEvents, "device event"), leftOut(*run.timeline), shownOf(run));
    std::vector<TotalRow> rows;
    const auto add = [&](std::string_view name, const TimeStatistics& time, std::string what) {
      rows.push_back({name, time.reportedNs, std::move(what), &time});
    };
    add("busy", totals.busy,
        totals.wall ? "union of device events" : "sum of device events, which have no start times");
    if (run.showsUndisturbed())
      rows.push_back({run.undisturbedWord(), totals.undisturbedNs,
                      fmt::format("busy if each kernel took {}: shares of busy are of it", run.countedTime())});
    if (totals.wall) {
      add("wall", *totals.wall, "first device event to last; leaves out host time before the first launch");
      add("idle", *totals.idle,
          totals.wall->reportedNs > 0
              ? formatPercent(shareOf(totals.idle->reportedNs, totals.wall->reportedNs)) + " of wall"
              : "");
    } else {
      rows.push_back({"wall", std::nullopt, "unknown, because " + describe(Absence{Absence::Reason::NoStarts})});
      rows.push_back({"idle", std::nullopt, "unknown for the same reason"});
    }
    if (totals.window)
      add("window", *totals.window, "annotation or step on the host: what the user waits for");
    else
      rows.push_back({"window", std::nullopt, "no annotation encloses the run"});
    if (totals.latency)
      rows.push_back({"latency", totals.latency->reportedNs,
                      fmt::format("{} of {} executions, measured apart from the events", name(run.timeline->average),
                                  run.timeline->latenciesNs.size())});
    if (totals.spillIn && totals.spillIn->reportedNs > 0)
      add("spill-in", *totals.spillIn,
          "its launch is not in the trace, most often because it was earlier; wall and busy hold it");
    rows.push_back({"bound", totals.bound.reportedNs,
                    fmt::format("{} of {} belongs to {}",
                                formatPercent(shareOf(totals.bound.reportedNs, totals.device.reportedNs)),
                                run.target.eventTimeName(),
                                report_.module->isRecorded() ? "calls of the program" : "kernels of the model")});
    out_ += writeText(rows,
                      {column("per iteration", kWord, [](const TotalRow& row) { return row.name; }),
                       column("us", kMicroseconds, [](const TotalRow& row) { return row.ns; }),
                       column("spread", kWord, [](const TotalRow& row) { return row.time ? spreadOf(*row.time) : ""; })
                           .onlyIf(hasSpread(run)),
                       column("", kText, [](const TotalRow& row) { return row.what; })},
                      style_.columns);
  }

  /// The longest kernels; without a trace, the first ones with device work.
  void kernels(const RunReport& run) {
    std::vector<const KernelRow*> shown;
    for (const KernelRow& kernel : run.kernels)
      if (run.totals ? kernel.isMeasured() : kernel.state != ir::KernelState::NoDeviceWork) shown.push_back(&kernel);
    const size_t total = shown.size();
    if (run.totals)
      std::ranges::stable_sort(shown, std::ranges::greater(), [](const KernelRow* row) {
        return std::pair(row->time->reportedNs, row->time->totalNs);
      });
    if (shown.size() > options_.rows(kTopKernels)) shown.resize(options_.rows(kTopKernels));

    heading(shown.size() < total
                ? fmt::format("kernels ({} of {}; all in -emit=csv or -emit=json)", shown.size(), total)
                : "kernels");
    const bool hasPath = run.cover->facets.has(ir::Facet::CriticalPath);
    const bool hasTrips = std::ranges::any_of(shown, [](const KernelRow* row) { return row->trips.has_value(); });
    const bool isTimed = run.totals.has_value();
    constexpr auto& kFields = kFirstKernelFields;
    out_ += writeText(
        rowsOf<RunKernelRow>(run, shown),
        {column("id", kNumber, fieldOf(kFields, "id")), column("kernel", kText, fieldOf(kFields, "label")),
         column("category", kText, fieldOf(kFields, "category")),
         column("first node", kFirstText, fieldOf(kFields, "nodes")),
         column("trips", kNumber, [](const RunKernelRow& row) { return row.item.trips; }).onlyIf(hasTrips),
         column("us", kMicroseconds, fieldOf(kFields, "duration_ns")).onlyIf(isTimed),
         column("spread", kWord, [](const RunKernelRow& row) { return spreadOf(*row.item.time); })
             .onlyIf(hasSpread(run)),
         column("share", kPercent, fieldOf(kFields, "ratio")).onlyIf(isTimed),
         column("limit", kSpeedup, fieldOf(kFields, "max_speedup")).onlyIf(isTimed),
         column("of wall", kSpeedup, fieldOf(kFields, "max_speedup_wall")).onlyIf(isTimed && run.totals->wall),
         column("path", kWord, [](const RunKernelRow& row) { return row.item.critical.value_or(false) ? "*" : ""; })
             .onlyIf(isTimed && hasPath)},
        style_.columns);
    if (run.totals) legend(run, hasPath, hasTrips);
  }

  void legend(const RunReport& run, bool hasPath, bool hasTrips) {
    out_ += fmt::format("  share: of {}busy time; limit: its speed-up if this kernel cost nothing{}{}\n",
                        run.showsUndisturbed() ? fmt::format("{} ", run.undisturbedWord()) : "",
                        run.totals->wall ? "; of wall: wall time's, with idle time kept" : "",
                        hasPath ? "; *: on the critical path" : "");
    if (hasSpread(run))
      out_ += "  spread: standard deviation over the mean; !: slow iterations pull the mean above the median\n";
    if (hasTrips) out_ += "  trips: of the loop around the kernel in an iteration; the time is that of all of them\n";
  }

  void aggregate(std::string title, const std::vector<GroupRow>& groups, const RunReport& run) {
    if (groups.empty()) return;
    constexpr auto& kFields = kGroupFields;
    out_ +=
        "\n" +
        writeText(
            groups,
            {column(std::move(title), kText, fieldOf(kFields, "name")),
             column("kernels", kNumber, fieldOf(kFields, "kernels")),
             column("events", kNumber, [](const GroupRow& row) { return events(row.run, row.item.events); }),
             column("us", kMicroseconds, fieldOf(kFields, "duration_ns")),
             column("share", kPercent, fieldOf(kFields, "ratio")),
             column("limit", kSpeedup, fieldOf(kFields, "max_speedup")),
             column("of wall", kSpeedup, fieldOf(kFields, "max_speedup_wall")).onlyIf(run.totals->wall.has_value())},
            style_.columns, {options_.rows(kTopAggregates)});
  }

  /// The scopes with the longest times, each with all scopes inside.
  void scopes(const RunReport& run) {
    std::vector<const AggregateRow*> all;
    for (const ScopeRow& row : run.byScope) all.push_back(&row.inclusive);
    std::ranges::stable_sort(all, std::ranges::greater(), [](const AggregateRow* row) {
      return std::pair(row->time.reportedNs, row->time.totalNs);
    });
    aggregate("by module scope, with all inside", rowsOf<GroupRow>(run, all), run);
  }

  void missed(const RunReport& run) {
    std::vector<const KernelRow*> all;
    for (const KernelRow& kernel : run.kernels)
      if (kernel.state == ir::KernelState::Unbound) all.push_back(&kernel);
    if (all.empty()) return;
    heading(fmt::format("kernels without an event: {}", all.size()));
    constexpr auto& kFields = kFirstKernelFields;
    // A reason is whole, because half of one is none.
    out_ +=
        writeText(rowsOf<RunKernelRow>(run, all),
                  {column("id", kNumber, fieldOf(kFields, "id")), column("kernel", kText, fieldOf(kFields, "label")),
                   column("first node", kFirstText, fieldOf(kFields, "nodes")),
                   column("reason", kWord, fieldOf(kFields, "reason"))},
                  style_.columns, {options_.rows(kTopUnbound)});
  }

  void unbound(const RunReport& run) {
    if (run.unbound.empty()) return;
    heading(fmt::format("{} without a {}: {} us", run.target.eventTimeName(),
                        report_.module->isRecorded() ? "call of the program" : "kernel of the model",
                        formatUs(run.totals->unbound.reportedNs)));
    constexpr auto& kFields = kUnboundFields;
    // Names of device kernels come last: some have a thousand characters.
    out_ += writeText(
        rowsOf<UnboundEventRow>(run, run.unbound),
        {column("us", kMicroseconds, fieldOf(kFields, "duration_ns")),
         column("events", kNumber, [](const UnboundEventRow& row) { return events(row.run, row.item.events); }),
         column("class", kWord, fieldOf(kFields, "class")), column("reason", kWord, fieldOf(kFields, "reason")),
         column("event", kText, fieldOf(kFields, "name"))},
        style_.columns, {options_.rows(kTopUnbound)});
  }

  void problems() {
    if (report_.problems.empty()) return;
    heading("data problems");
    out_ += writeText(report_.problems,
                      {column("problem", kWord, fieldOf(kProblemFields, "name")),
                       column("count", kNumber, fieldOf(kProblemFields, "count")),
                       column("what", kWord, fieldOf(kProblemFields, "what"))},
                      style_.columns);
  }

  const Report& report_;
  const TextStyle& style_;
  const ReportOptions& options_;
  std::string out_;
};

}  // namespace

constinit const Output kFullSummaryOutput{
    .name = "summary=full",
    .summary = "all tables for a terminal: totals, kernels, aggregates, unbound time, host, roofs, what-ifs, advice",
    .write =
        [](const OutputContext& context) {
          return SummaryWriter(context.reported(), context.style, context.report).write();
        },
    .baseline = Output::BaselineUse::IfGiven,
    .options = kOptionsOfTables};

}  // namespace amdahlc
