#include <fmt/format.h>

#include <algorithm>

#include "passes/manager/report_values.h"
#include "report/outputs/output_options.h"
#include "report/segment_times.h"
#include "report/spread.h"
#include "report/text_table.h"
#include "support/printable.h"
#include "support/utf8.h"

namespace amdahlc {
namespace {

using Align = TextTable::Align;

constexpr std::string_view kUnknown = "n/a";
// Shorter host time changes no choice, and there is some between any two calls on a CPU.
constexpr double kNotableShare = 0.01;

/// Milliseconds with three decimals, as nanoseconds are rounded half to even before.
std::string ms(int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6); }

/// In the layout of octoml-profile: segments, with host time between them, and a line for each run; then totals.
class SegmentTextWriter {
 public:
  SegmentTextWriter(const SegmentTable& table, const TextStyle& style) : table_(table), style_(style) {}

  std::string write() {
    for (const SegmentTotals& run : table_.runs) describe(*run.run);
    discarded();
    for (const std::string& caveat : table_.caveats) out_ += fmt::format("WARNING: {}\n", caveat);
    if (table_.rows.empty()) {
      out_ += "no run has bound events, so that there is nothing to compare\n";
      return std::move(out_);
    }
    segments();
    totals();
    legend();
    return std::move(out_);
  }

 private:
  std::string label(size_t run) const { return printable(table_.runs[run].run->label); }

  void describe(const RunReport& run) {
    std::string text = printable(run.label) + ":";
    for (const std::string* part : {&run.target.runtime, &run.target.device})
      if (!part->empty()) text += fmt::format("{} {}", text.ends_with(':') ? "" : " on", printable(*part));
    out_ += fmt::format("{}{}{}\n", text, text.ends_with(':') ? " " : ", ", printable(run.timeline->file));
  }

  void discarded() {
    std::string text;
    for (const SegmentTotals& run : table_.runs)
      if (run.discarded)
        text +=
            fmt::format("{}{} of {}", text.empty() ? "" : ", ", printable(*run.discarded), printable(run.run->label));
    out_ += fmt::format("Runs discarded as warm-up: {}\n", text.empty() ? "none" : text);
  }

  void segments() {
    TextTable table;
    table.column("Segment", Align::Left, true);
    table.column("Runs", Align::Right);
    table.column("Mean ms", Align::Right);
    table.column("Spread", Align::Right);
    table.column("Failures", Align::Right);
    table.column("Share", Align::Right);
    table.column("Against best", Align::Left);
    size_t number = 0;
    for (const SegmentRow& row : table_.rows) {
      uncompiled(table, number, row.uncompiledBefore);
      table.row({fmt::format("{:<2} {}", number++, printable(table_.segments.segments[row.segment].name)), "", "", "",
                 "", "", ""});
      for (size_t r = 0; r < row.cells.size(); ++r)
        if (row.cells[r]) table.row(cellsOf(r, *row.cells[r]));
    }
    std::vector<std::optional<TimeStatistics>> after;
    for (const SegmentTotals& run : table_.runs) after.push_back(run.uncompiledAfter);
    uncompiled(table, number, after);
    std::string text = table.print(style_.columns);
    size_t width = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      width = std::max(width, static_cast<size_t>(std::count_if(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                                text.begin() + static_cast<std::ptrdiff_t>(end),
                                                                utf8::startsSequence)));
      begin = end + 1;
    }
    text.insert(text.find('\n') + 1, "  " + std::string(width - 2, '=') + "\n");
    out_ += text + "  " + std::string(width - 2, '-') + "\n";
  }

  /// Time outside of segments, if it matters in a run.
  void uncompiled(TextTable& table, size_t& number, const std::vector<std::optional<TimeStatistics>>& times) {
    bool isNotable = false;
    for (size_t r = 0; r < times.size(); ++r) {
      if (!times[r] || times[r]->totalNs == 0) continue;
      const auto whole = static_cast<double>(table_.runs[r].withUncompiled->time.totalNs);
      isNotable |= static_cast<double>(times[r]->totalNs) >= kNotableShare * whole;
    }
    if (!isNotable) {
      hasShortGaps_ |= std::any_of(times.begin(), times.end(), [](const auto& one) { return one && one->totalNs > 0; });
      return;
    }
    table.row({fmt::format("{:<2} Uncompiled", number++), "", "", "", "", "", ""});
    for (size_t r = 0; r < times.size(); ++r) {
      if (!times[r]) continue;
      table.row({"     " + label(r), runs(r), ms(times[r]->meanNs), spread(r, *times[r]), "", "", ""});
    }
  }

  std::vector<std::string> cellsOf(size_t r, const SegmentCell& cell) {
    std::vector<std::string> cells{"     " + label(r), runs(r)};
    if (!cell.time) {
      cells.insert(cells.end(), {"?", "", "", "", "no events are bound"});
      return cells;
    }
    hasLowerBound_ |= !cell.isComplete();
    cells.push_back((cell.isComplete() ? "" : ">= ") + ms(cell.time->time.meanNs));
    cells.push_back(spread(r, cell.time->time));
    cells.push_back(cell.failures ? fmt::format("{}", *cell.failures) : std::string(kUnknown));
    cells.push_back(formatPercent(cell.share));
    cells.push_back(against(*cell.time));
    return cells;
  }

  std::string runs(size_t r) const { return fmt::format("{}", table_.runs[r].runs); }

  std::string spread(size_t r, const TimeStatistics& time) {
    if (table_.runs[r].run->onlyMeans()) return std::string(kUnknown);
    return table_.runs[r].run->measured.iterations > 1 ? spreadOf(time) : "";
  }

  std::string against(const ComparedTime& time) {
    if (time.against == AgainstBest::None) return "";
    used_ |= 1u << static_cast<unsigned>(time.against);
    std::string text = time.timesBest ? fmt::format("{:.2f}x", *time.timesBest) : "";
    if (time.against == AgainstBest::Best) text += " best";
    if (time.against == AgainstBest::WithinNoise) text += " ~";
    if (time.against == AgainstBest::NoiseUnknown) text += " ?";
    return text;
  }
  bool isUsed(AgainstBest value) const { return (used_ >> static_cast<unsigned>(value) & 1u) != 0; }

  void totals() {
    TextTable table;
    table.column("Total times, ms", Align::Left, true);
    table.column("compiled", Align::Right);
    table.column("uncompiled", Align::Right);
    table.column("other device work", Align::Right);
    table.column("compiled + uncompiled", Align::Right);
    for (const SegmentTotals& run : table_.runs) hasNoWindow_ |= !run.uncompiled;
    // What all runs have.
    table.column(hasNoWindow_ ? "Compiled against best" : "Against best", Align::Left);
    for (size_t r = 0; r < table_.runs.size(); ++r) {
      const SegmentTotals& run = table_.runs[r];
      table.row({label(r), ms(run.compiled.time.meanNs), run.uncompiled ? ms(run.uncompiled->meanNs) : kNone,
                 ms(run.otherDevice.meanNs), run.withUncompiled ? ms(run.withUncompiled->time.meanNs) : kNone,
                 against(hasNoWindow_ ? run.compiled : *run.withUncompiled)});
    }
    out_ += table.print(style_.columns);
  }

  void legend() {
    if (hasShortGaps_)
      out_ += fmt::format("  uncompiled times of less than {:.0f} % in all runs are in the totals only\n",
                          100 * kNotableShare);
    if (hasLowerBound_)
      out_ += "  >=: kernels of the segment have no events, or fewer in some iterations; their time is not known\n";
    if (isUsed(AgainstBest::WithinNoise))
      out_ += "  ~: within noise of the best: the 95 % Welch interval of the difference contains 0\n";
    if (isUsed(AgainstBest::NoiseUnknown))
      out_ += "  ?: the noise is unknown, because a side has fewer than three iterations or only means\n";
    if (hasNoWindow_) out_ += "  n/a: no annotation or step is around the run, or its times are means of each layer\n";
  }

  inline static const std::string kNone{kUnknown};

  const SegmentTable& table_;
  const TextStyle& style_;
  bool hasLowerBound_ = false, hasNoWindow_ = false, hasShortGaps_ = false;
  /// A bit for each way of comparing in the tables.
  unsigned used_ = 0;
  std::string out_;
};

}  // namespace

constinit const Output kCompareOutput{
    .name = "compare",
    .summary = "the runs side by side, by segments of the model that all of them execute as a whole",
    .needs = ir::Facet::Timed,
    .write =
        [](const OutputContext& context) {
          const SegmentTable table = segmentTable(context.reported(), context.report.segments);
          return SegmentTextWriter(table, context.style).write();
        },
    .options = kOptionsOfComparisons};

}  // namespace amdahlc
