// The output `compare` as text: the runs side by side, a row for each part of the model and run.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/facets/timed.h"
#include "report/fields_text.h"
#include "report/outputs/segment_writers.h"
#include "report/section.h"
#include "report/spread.h"
#include "support/decimal_time.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using comparison::Change;

constexpr std::string_view kUnknown = "n/a";
// Shorter host time changes no choice, and there is some between any two calls on a CPU.
constexpr double kNotableShare = 0.01;
/// Modules with the same operators are one row if their times differ by at most this part.
constexpr double kAlike = 0.1;

bool areAlike(int64_t a, int64_t b) {
  return static_cast<double>(std::max(a, b)) <= (1 + kAlike) * static_cast<double>(std::min(a, b));
}

/// A name with `#` for each number.
std::string withoutNumbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool isDigit = c >= '0' && c <= '9';
    if (!isDigit || !text.ends_with('#')) text += isDigit ? '#' : c;
  }
  return text;
}

/// One row of the table, or several that are alike.
struct Part {
  std::string name;
  size_t count = 1;
  /// Times are those of all.
  SegmentRow row;
};

bool haveWindows(const SegmentTable& table) {
  return std::ranges::all_of(table.runs, [](const SegmentTotals& run) { return run.uncompiled.has_value(); });
}

/// What all runs have.
const ComparedTime& comparedOf(const SegmentTotals& run, bool hasWindows) {
  return hasWindows ? *run.withUncompiled : run.compiled;
}

/// ``; the difference to `eager` is 11.371 ms: 4.125 ms in `layer4` ``: the segments in which a run takes most longer
/// than the best one; empty where none is known.
std::string largestDifferences(const SegmentTable& table, size_t best, size_t other, int64_t wholeNs) {
  constexpr size_t kNamed = 3;
  std::vector<std::pair<int64_t, std::string>> parts;
  for (const SegmentRow& row : table.rows) {
    const auto timeOf = [&](size_t run) { return row.cells[run] ? row.cells[run]->time : std::nullopt; };
    const auto from = timeOf(best), to = timeOf(other);
    if (from && to && row.cells[best]->isComplete() && row.cells[other]->isComplete())
      parts.emplace_back(to->time.reportedNs - from->time.reportedNs,
                         fmt::format("in `{}`", printable(table.segments.segments[row.segment].name)));
  }
  if (haveWindows(table))
    parts.emplace_back(table.runs[other].uncompiled->reportedNs - table.runs[best].uncompiled->reportedNs,
                       "outside of all segments");
  std::ranges::stable_sort(parts, std::ranges::greater(), &std::pair<int64_t, std::string>::first);
  std::string text;
  for (const auto& [ns, place] : std::span(parts).first(std::min(parts.size(), kNamed)))
    if (ns > 0 && shareOf(ns, wholeNs) >= kNotableShare)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", formatReadable(ns), place);
  return text;
}

/// Empty for a time that is compared with no other.
std::string describeAgainst(const ComparedTime& time) {
  std::string text = time.timesBest ? fmt::format("{:.2f}x", *time.timesBest) : "";
  const std::string_view shown = time.isBest ? "best" : time.change ? mark(*time.change) : "";
  return shown.empty() ? text : fmt::format("{} {}", text, shown);
}

/// A title alone, or a run below it.
struct TextRow {
  std::string title;
  const SegmentTotals* run = nullptr;
  /// Null of time outside of segments.
  const SegmentCell* cell = nullptr;
  std::optional<int64_t> beforeNs = std::nullopt;
};

class SegmentTextWriter {
 public:
  SegmentTextWriter(const SegmentTable& table, const TextStyle& style)
      : table_(table), style_(style), hasWindows_(haveWindows(table)) {}

  std::string write() {
    for (const SegmentTotals& run : table_.runs) describe(run);
    for (const std::string& caveat : table_.caveats) out_ += fmt::format("WARNING: {}\n", caveat);
    if (table_.rows.empty()) {
      out_ += "no run has bound events, so that there is nothing to compare\n";
      return std::move(out_);
    }
    verdict();
    joinAlike();
    parts();
    totals();
    legend();
    return std::move(out_);
  }

 private:
  void describe(const SegmentTotals& totals) {
    const RunReport& run = *totals.run;
    std::string text = printable(run.label) + ":";
    for (const std::string* part : {&run.target.runtime, &run.target.device})
      if (!part->empty()) text += fmt::format("{} {}", text.ends_with(':') ? "" : " on", printable(*part));
    text += fmt::format("{}{}; {}", text.ends_with(':') ? " " : ", ", printable(run.timeline->file),
                        plural(static_cast<size_t>(totals.runs), "iteration"));
    if (totals.discarded) text += fmt::format(", `{}` dropped as warm-up", printable(*totals.discarded));
    out_ += text + "\n";
  }

  void verdict() {
    for (const std::string& sentence : fastestRun(table_)) out_ += sentence + "\n";
  }

  /// Whether a part and the row that follows it are instances of one module with about the same times in each run.
  bool isAlike(const Part& part, const SegmentRow& next) const {
    const auto& segments = table_.segments.segments;
    const ir::Segment &a = segments[part.row.segment], &b = segments[next.segment];
    const auto typeOf = [&](ir::OpId op) { return table_.module->ops[op].type; };
    if (a.scope == ir::kRootScope || b.scope == ir::kRootScope || withoutNumbers(a.name) != withoutNumbers(b.name) ||
        !std::ranges::equal(a.ops, b.ops, {}, typeOf, typeOf))
      return false;
    for (size_t r = 0; r < table_.runs.size(); ++r) {
      const auto &one = part.row.cells[r], &other = next.cells[r];
      if (one.has_value() != other.has_value()) return false;
      if (!one) continue;
      if (one->time.has_value() != other->time.has_value() || one->isComplete() != other->isComplete() ||
          one->failures != other->failures)
        return false;
      if (!one->time) continue;
      if (one->time->isBest != other->time->isBest || one->time->change != other->time->change ||
          !areAlike(one->time->time.reportedNs / static_cast<int64_t>(part.count), other->time->time.reportedNs))
        return false;
    }
    return true;
  }

  /// Adds the times of a row to those of a part.
  void join(Part& part, const SegmentRow& next) const {
    ++part.count;
    for (size_t r = 0; r < table_.runs.size(); ++r) {
      if (part.row.uncompiledBefore[r] && next.uncompiledBefore[r])
        part.row.uncompiledBefore[r]->reportedNs += next.uncompiledBefore[r]->reportedNs;
      if (!part.row.cells[r]) continue;
      SegmentCell& cell = *part.row.cells[r];
      cell.kernelsWithoutEvents += next.cells[r]->kernelsWithoutEvents;
      cell.share += next.cells[r]->share;
      if (!cell.time) continue;
      std::vector<int64_t>& samples = cell.time->perIterationNs;
      for (size_t i = 0; i < samples.size(); ++i) samples[i] += next.cells[r]->time->perIterationNs[i];
      const auto& run = table_.runs[r].run->cover->facets.get<ir::TimedFacet>()->run;
      cell.time->time = timeOfIterations(samples, run.representative);
    }
  }

  void joinAlike() {
    for (const SegmentRow& row : table_.rows) {
      const std::string name = printable(table_.segments.segments[row.segment].name);
      if (!parts_.empty() && isAlike(parts_.back(), row)) {
        join(parts_.back(), row);
        last_ = name;
        continue;
      }
      endPart();
      parts_.push_back({name, 1, row});
    }
    endPart();
  }

  /// Names a part of several rows, and compares their sums.
  void endPart() {
    if (parts_.empty() || parts_.back().count == 1) return;
    Part& part = parts_.back();
    part.name = fmt::format("{} to {} ({} alike)", part.name, last_, part.count);
    int64_t bestNs = 0;
    for (const auto& cell : part.row.cells)
      if (cell && cell->time && cell->time->isBest) bestNs = cell->time->time.reportedNs;
    for (auto& cell : part.row.cells)
      if (cell && cell->time && cell->time->timesBest && bestNs > 0)
        cell->time->timesBest = static_cast<double>(cell->time->time.reportedNs) / static_cast<double>(bestNs);
  }

  void parts() {
    for (const Part& part : parts_) {
      const auto hasTime = [](const auto& cell) { return cell && cell->time; };
      if (std::ranges::none_of(part.row.cells, hasTime)) {
        withoutTime_.push_back(part.name);
        continue;
      }
      rows_.push_back({part.name});
      for (size_t r = 0; r < part.row.cells.size(); ++r) {
        if (!part.row.cells[r]) continue;
        const SegmentCell& cell = *part.row.cells[r];
        rows_.push_back({"  " + printable(table_.runs[r].run->label), &table_.runs[r], &cell,
                         notable(r, part.row.uncompiledBefore[r])});
        if (cell.time) compared_.push_back(&*cell.time);
      }
    }
    std::vector<std::optional<int64_t>> after;
    for (size_t r = 0; r < table_.runs.size(); ++r) after.push_back(notable(r, table_.runs[r].uncompiledAfter));
    if (std::ranges::any_of(after, [](const auto& ns) { return ns.has_value(); })) {
      rows_.push_back({"behind the last part"});
      for (size_t r = 0; r < after.size(); ++r)
        if (after[r])
          rows_.push_back({"  " + printable(table_.runs[r].run->label), &table_.runs[r], nullptr, after[r]});
    }
    out_ += writeText(rows_, columns(), style_.columns);
  }

  /// Time outside of segments, if it matters in the run.
  std::optional<int64_t> notable(size_t r, const std::optional<TimeStatistics>& time) {
    if (!time || time->reportedNs == 0) return std::nullopt;
    const auto wholeNs = static_cast<double>(table_.runs[r].withUncompiled->time.reportedNs);
    if (static_cast<double>(time->reportedNs) >= kNotableShare * wholeNs) return time->reportedNs;
    hasShortGaps_ = true;
    return std::nullopt;
  }

  std::vector<TextColumn<TextRow>> columns() const {
    const auto ofCells = [](std::string title, const CellFormat& format, auto valueOf) {
      return column(std::move(title), format, [valueOf](const TextRow& row) {
        return row.cell != nullptr ? std::optional(valueOf(row)) : std::nullopt;
      });
    };
    const bool isIncomplete = std::ranges::any_of(rows_, hasFailures);
    const bool hasHost = std::ranges::any_of(rows_, [](const TextRow& row) { return row.beforeNs.has_value(); });
    return {column("part of the model", kText, [](const TextRow& row) { return row.title; }),
            ofCells("ms", kNumber,
                    [](const TextRow& row) -> std::string {
                      if (!row.cell->time) return "?";
                      return (row.cell->isComplete() ? "" : ">= ") + formatMs(row.cell->time->time.reportedNs);
                    }),
            ofCells("spread", kNumber,
                    [](const TextRow& row) -> std::string {
                      if (!row.cell->time) return "";
                      if (row.run->run->onlyMeans()) return std::string(kUnknown);
                      return row.run->runs > 1 ? spreadOf(row.cell->time->time) : "";
                    }),
            ofCells("incomplete", kNumber,
                    [](const TextRow& row) -> std::string {
                      return hasFailures(row) ? fmt::format("{}", *row.cell->failures) : "";
                    })
                .onlyIf(isIncomplete),
            ofCells("share", kPercent,
                    [](const TextRow& row) { return row.cell->time ? std::optional(row.cell->share) : std::nullopt; }),
            column("all else before, ms", kNumber,
                   [](const TextRow& row) { return row.beforeNs ? formatMs(*row.beforeNs) : std::string(); })
                .onlyIf(hasHost),
            ofCells("against best", kWord, [](const TextRow& row) -> std::string {
              return row.cell->time ? describeAgainst(*row.cell->time) : "no events are bound";
            })};
  }

  static bool hasFailures(const TextRow& row) { return row.cell != nullptr && row.cell->failures.value_or(0) > 0; }

  void totals() {
    for (const SegmentTotals& run : table_.runs) compared_.push_back(&comparedOf(run, hasWindows_));
    const bool hasWindow =
        std::ranges::any_of(table_.runs, [](const SegmentTotals& run) { return run.uncompiled.has_value(); });
    const bool hasOther =
        std::ranges::any_of(table_.runs, [](const SegmentTotals& run) { return run.otherDevice.reportedNs > 0; });
    out_ +=
        "\n" +
        writeText(
            table_.runs,
            {column("per iteration, ms", kText, [](const SegmentTotals& run) { return printable(run.run->label); }),
             column("kernels of the model", kMilliseconds,
                    [](const SegmentTotals& run) { return run.compiled.time.reportedNs; }),
             column("all else", kMilliseconds, [](const SegmentTotals& run) { return reportedNsOf(run.uncompiled); })
                 .onlyIf(hasWindow),
             column("together", kMilliseconds,
                    [](const SegmentTotals& run) {
                      return run.withUncompiled ? std::optional(run.withUncompiled->time.reportedNs) : std::nullopt;
                    })
                 .onlyIf(hasWindow),
             column("other device work", kMilliseconds,
                    [](const SegmentTotals& run) { return run.otherDevice.reportedNs; })
                 .onlyIf(hasOther),
             column(hasWindows_ ? "against best" : "kernels against best", kWord,
                    [this](const SegmentTotals& run) { return describeAgainst(comparedOf(run, hasWindows_)); })},
            style_.columns);
  }

  void legend() {
    const auto line = [&](std::string_view text) { out_ += fmt::format("  {}\n", text); };
    if (hasWindows_)
      line("all else: time of the window in which no kernel of the model runs: the host's, or other device work");
    if (hasShortGaps_ && std::ranges::any_of(rows_, [](const TextRow& row) { return row.beforeNs.has_value(); }))
      line(fmt::format("all else before: what a part waits for; below {:.0f} % of a run it is in the sum only",
                       100 * kNotableShare));
    if (std::ranges::any_of(parts_, [](const Part& part) { return part.count > 1; }))
      line(
          fmt::format("alike: modules of the same operators, whose times differ by at most {:.0f} %; the time is that "
                      "of all",
                      100 * kAlike));
    if (std::ranges::any_of(
            rows_, [](const TextRow& row) { return row.cell != nullptr && row.cell->time && !row.cell->isComplete(); }))
      line(">=: kernels of the part have no events, or fewer in some iterations; their time is not known");
    if (std::ranges::any_of(rows_, [](const TextRow& row) { return row.cell != nullptr && !row.cell->time; }))
      line("no events are bound: what the run did there is in another part, or among its other device work");
    if (std::ranges::any_of(rows_, hasFailures))
      line("incomplete: iterations in which a kernel has fewer events than in most");
    if (!withoutTime_.empty())
      line(fmt::format("no run has events of {}",
                       firstFew(withoutTime_, [](const std::string& name) { return fmt::format("`{}`", name); })));
    std::vector<Change> shown;
    for (const ComparedTime* time : compared_)
      if (time->change) shown.push_back(*time->change);
    out_ += legendOf(shown, " of the best");
    if (!hasWindows_)
      line(
          "the kernels are compared alone, because not every run has an annotation or a step around it, or times of "
          "more than its layers");
  }

  const SegmentTable& table_;
  const TextStyle& style_;
  std::vector<Part> parts_;
  /// The name of the last row of the last part.
  std::string last_;
  std::vector<TextRow> rows_;
  std::vector<std::string> withoutTime_;
  const bool hasWindows_;
  bool hasShortGaps_ = false;
  /// Times that the tables compare.
  std::vector<const ComparedTime*> compared_;
  std::string out_;
};

}  // namespace

std::vector<std::string> fastestRun(const SegmentTable& table) {
  if (table.runs.empty()) return {};
  const bool hasWindows = haveWindows(table);
  std::optional<size_t> best, slowest;
  std::string others;
  for (size_t r = 0; r < table.runs.size(); ++r) {
    const ComparedTime& time = comparedOf(table.runs[r], hasWindows);
    if (time.isBest) best = r;
    if (time.isBest || !time.timesBest) continue;
    if (time.change == Change::Slower &&
        (!slowest || time.time.reportedNs > comparedOf(table.runs[*slowest], hasWindows).time.reportedNs))
      slowest = r;
    others += fmt::format("; `{}` takes {:.2f}x as long", printable(table.runs[r].run->label), *time.timesBest);
    // Rows are judged together: the interval of one row alone may exclude equal times though it is within noise.
    const bool isWithin = time.change == Change::WithinNoise;
    if (time.interval && (!isWithin || time.interval->low <= 1))
      others += fmt::format(" (95 %: {:.2f}x to {:.2f}x)", time.interval->low, time.interval->high);
    if (isWithin) others += ", which is within noise";
    if (!isWithin && time.change != Change::Slower) others += ", of which the noise is not known";
  }
  if (!best) return {};
  const int64_t bestNs = comparedOf(table.runs[*best], hasWindows).time.reportedNs;
  std::vector<std::string> sentences{fmt::format("fastest: `{}`, {} ms per iteration{}",
                                                 printable(table.runs[*best].run->label), formatMs(bestNs), others)};
  if (!slowest) return sentences;
  const int64_t moreNs = comparedOf(table.runs[*slowest], hasWindows).time.reportedNs - bestNs;
  if (const std::string parts = largestDifferences(table, *best, *slowest, moreNs); !parts.empty())
    sentences.push_back(fmt::format("`{}` takes {} longer, of that {}", printable(table.runs[*slowest].run->label),
                                    formatReadable(moreNs), parts));
  return sentences;
}

std::string writeSegmentsText(const SegmentTable& table, const TextStyle& style) {
  return SegmentTextWriter(table, style).write();
}

}  // namespace amdahlc
