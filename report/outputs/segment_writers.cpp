#include "report/outputs/segment_writers.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/fields_text.h"
#include "report/outputs/output_options.h"
#include "report/segment_times.h"
#include "report/spread.h"
#include "support/characters.h"
#include "support/decimal_time.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using comparison::Change;

// The fields.

constexpr std::string_view kBest = "best";

std::vector<std::string_view> comparisonNames() {
  using enum Change;
  return {kBest, name(Slower), name(WithinNoise), name(NoiseUnknown)};
}

std::optional<OneOf<comparisonNames>> againstBest(const ComparedTime& time) {
  if (!time.isBest && !time.change) return std::nullopt;
  return OneOf<comparisonNames>{time.isBest ? kBest : name(*time.change)};
}

/// A value for each run.
template <typename ValueOf>
auto valuesOfRuns(const SegmentTable& table, ValueOf valueOf) {
  std::vector<std::pair<std::string, decltype(valueOf(size_t{0}))>> values;
  for (size_t r = 0; r < table.runs.size(); ++r) values.emplace_back(table.runs[r].run->label, valueOf(r));
  return values;
}

/// A time of a run: of a segment, before a segment, or in all.
struct SegmentLine {
  const SegmentTotals& run;
  /// Null where the time is not known.
  const TimeStatistics* time = nullptr;
  /// Null of a time that is compared with no other.
  const ComparedTime* compared = nullptr;
  /// Null of what is no time of a segment.
  const SegmentCell* cell = nullptr;

  bool isExact() const { return time != nullptr && !run.run->onlyMeans(); }
  /// Whether the time is known, and of a segment.
  bool isOfSegment() const { return time != nullptr && cell != nullptr; }
  std::optional<double> share() const { return isOfSegment() ? std::optional(cell->share) : std::nullopt; }
  std::optional<double> deviationNs() const {
    return isExact() && run.runs > 1 ? std::optional(time->standardDeviationNs) : std::nullopt;
  }
};

SegmentLine segmentLine(const SegmentTotals& run, const TimeStatistics& time) { return {run, &time}; }
SegmentLine segmentLine(const SegmentTotals& run, const ComparedTime& time) { return {run, &time.time, &time}; }
SegmentLine segmentLine(const SegmentTotals& run, const SegmentCell& cell) {
  if (!cell.time) return {run, nullptr, nullptr, &cell};
  return {run, &cell.time->time, &*cell.time, &cell};
}

/// A number that every cell in JSON has, but not every row of CSV.
struct CountOfCell {
  std::optional<int64_t> value;
  static schema::Json schema() { return schema::count(); }
  schema::Json json() const { return FieldValue<std::optional<int64_t>>::json(value); }
};

constexpr auto kCellFields = inCsv(fields<SegmentLine>(
    field("runs", "iterations, or executions of which the time is the mean", [](auto& row) { return row.run.runs; }),
    field("duration_ns",
          "sum of the durations of the bound events; null if no event is bound, although some may be of the segment",
          [](auto& row) { return row.time ? std::optional(row.time->reportedNs) : std::nullopt; }),
    field("mean_ns", "the mean of it over the iterations",
          [](auto& row) { return row.time ? std::optional(row.time->meanNs) : std::nullopt; }),
    field("mean_ns_total", "the exact sum over the iterations",
          [](auto& row) { return row.isExact() ? std::optional(row.time->totalNs) : std::nullopt; }),
    inCsv(field("std_ns", "standard deviation over the iterations", [](auto& row) { return row.deviationNs(); }),
          "mean_ns_stddev"),
    field("failures", "iterations in which a kernel has fewer events than in most; null if only means are known",
          [](auto& row) { return row.cell ? row.cell->failures : std::nullopt; }),
    field(
        "kernels_without_events",
        "kernels that should have launched, and whose time may be missing; 0 if all device time is explained",
        [](auto& row) { return CountOfCell{row.cell ? std::optional(row.cell->kernelsWithoutEvents) : std::nullopt}; }),
    field("share", "of the run's device time", [](auto& row) { return row.share(); }),
    field("times_best", "over the shortest time of the segment",
          [](auto& row) { return row.compared ? row.compared->timesBest : std::nullopt; }),
    field("against_best", "null: not compared",
          [](auto& row) { return row.compared ? againstBest(*row.compared) : std::nullopt; })));

std::vector<std::string> nodeNames(const ir::Module& module, const ir::Segment& segment) {
  std::vector<std::string> names;
  for (const ir::OpId op : segment.ops) names.push_back(module.displayName(op));
  return names;
}

template <typename Row>
constexpr auto kNameFields =
    inCsv(fields<Row>(inCsv(field("name", "unique", [](auto& row) { return row.segment().name; }), "segment"),
                      field("scope", "empty if the segment is no module scope",
                            [](auto& row) { return row.table.module->scopePath(row.segment().scope); }),
                      field("nodes", "names", [](auto& row) { return nodeNames(*row.table.module, row.segment()); })));

struct ComparedRow {
  const SegmentTable& table;
  const SegmentRow& row;
  const ir::Segment& segment() const { return table.segments.segments[row.segment]; }
};

/// A row of CSV.
struct SegmentCsvRow : SegmentLine {
  const SegmentTable& table;
  std::string_view kind;
  /// Null of the totals of a run.
  const SegmentRow* row = nullptr;
  const ir::Segment& segment() const {
    static const ir::Segment kNoSegment{};
    return row != nullptr ? table.segments.segments[row->segment] : kNoSegment;
  }
};

constexpr auto kFirstColumns =
    inCsv(fields<SegmentCsvRow>(field<&SegmentCsvRow::kind>("kind", ""), kNameFields<SegmentCsvRow>,
                                field("run", "", [](auto& row) { return row.run.run->label; })));

constexpr auto kSegmentRowFields = fields<ComparedRow>(
    kNameFields<ComparedRow>,
    objectsByName<kCellFields>("cells", "by label of the run; a run without one did nothing there",
                               [](auto& row) {
                                 std::vector<std::pair<std::string, SegmentLine>> cells;
                                 for (size_t r = 0; r < row.row.cells.size(); ++r)
                                   if (row.row.cells[r])
                                     cells.emplace_back(row.table.runs[r].run->label,
                                                        segmentLine(row.table.runs[r], *row.row.cells[r]));
                                 return cells;
                               }),
    field("uncompiled_before", "time outside of segments that ended with an event of this one; null without a window",
          [](auto& row) {
            return valuesOfRuns(row.table, [&](size_t r) { return reportedNsOf(row.row.uncompiledBefore[r]); });
          }));

constexpr auto kSegmentTotalFields = fields<SegmentTotals>(
    field("compiled_ns", "of all segments", [](auto& run) { return run.compiled.time.reportedNs; }),
    field("with_uncompiled_ns", "null without a window",
          [](auto& run) {
            return run.withUncompiled ? std::optional(run.withUncompiled->time.reportedNs) : std::nullopt;
          }),
    field("compiled_against_best", "of `compiled_ns`; null: not compared",
          [](auto& run) { return againstBest(run.compiled); }),
    field("std_ns", "standard deviation of `with_uncompiled_ns`",
          [](auto& run) {
            return run.withUncompiled ? segmentLine(run, *run.withUncompiled).deviationNs() : std::nullopt;
          }),
    field("other_device_ns", "device time of events of no segment",
          [](auto& run) { return run.otherDevice.reportedNs; }),
    field("times_best", "of `with_uncompiled_ns`",
          [](auto& run) { return run.withUncompiled ? run.withUncompiled->timesBest : std::nullopt; }),
    field("against_best", "of `with_uncompiled_ns`; null: not compared",
          [](auto& run) { return run.withUncompiled ? againstBest(*run.withUncompiled) : std::nullopt; }));

constexpr auto kTableOfSegments = fields<SegmentTable>(
    field("labels", "of the runs",
          [](auto& table) {
            std::vector<std::string> labels;
            for (const SegmentTotals& run : table.runs) labels.push_back(run.run->label);
            return labels;
          }),
    objects<kSegmentRowFields>("segments", "in the order of the model, without those in which no run did anything",
                               [](auto& table) { return rowsOf<ComparedRow>(table, table.rows); }),
    field("uncompiled", "nanoseconds of the window outside of segments; null without a window",
          [](auto& table) {
            return valuesOfRuns(table, [&](size_t r) { return reportedNsOf(table.runs[r].uncompiled); });
          }),
    objectsByName<kSegmentTotalFields>("totals", "",
                                       [](auto& table) {
                                         std::vector<std::pair<std::string, const SegmentTotals&>> rows;
                                         for (const SegmentTotals& run : table.runs)
                                           rows.emplace_back(run.run->label, run);
                                         return rows;
                                       }),
    field<&SegmentTable::caveats>("caveats", "what restricts the comparison, as sentences"),
    field("discarded", "the iteration that is left out as warm-up; of several recordings all of them",
          [](auto& table) { return valuesOfRuns(table, [&](size_t r) { return table.runs[r].discarded; }); }));

// The text.

constexpr std::string_view kUnknown = "n/a";
// Shorter host time changes no choice, and there is some between any two calls on a CPU.
constexpr double kNotableShare = 0.01;

/// A title alone, or a run below it.
struct SegmentTextRow {
  std::string title;
  std::optional<SegmentLine> line = std::nullopt;
};

std::string describeSpread(const SegmentLine& line) {
  if (line.time == nullptr) return "";
  if (line.run.run->onlyMeans()) return std::string(kUnknown);
  return line.run.runs > 1 ? spreadOf(*line.time) : "";
}

std::string describeAgainst(const ComparedTime& time) {
  std::string text = time.timesBest ? fmt::format("{:.2f}x", *time.timesBest) : "";
  const std::string_view shown = time.isBest ? kBest : time.change ? mark(*time.change) : "";
  return shown.empty() ? text : fmt::format("{} {}", text, shown);
}

std::string describeDuration(const SegmentLine& line) {
  if (line.time == nullptr) return "?";
  return (line.cell == nullptr || line.cell->isComplete() ? "" : ">= ") + formatMs(line.time->reportedNs);
}

std::string describeFailures(const SegmentLine& line) {
  if (!line.isOfSegment()) return "";
  return line.cell->failures ? fmt::format("{}", *line.cell->failures) : std::string(kUnknown);
}

std::string describeAgainst(const SegmentLine& line) {
  if (line.compared != nullptr) return describeAgainst(*line.compared);
  return line.cell != nullptr ? "no events are bound" : "";
}

/// Empty beside a title.
template <typename Function>
TextColumn<SegmentTextRow> columnOfLines(std::string title, const CellFormat& format, Function valueOf) {
  return column(std::move(title), format, [valueOf](const SegmentTextRow& row) {
    return row.line ? std::optional(valueOf(*row.line)) : std::nullopt;
  });
}

std::vector<TextColumn<SegmentTextRow>> segmentColumns() {
  return {column("Segment", kText, [](const SegmentTextRow& row) { return row.title; }),
          columnOfLines("Runs", kNumber, [](const SegmentLine& line) { return line.run.runs; }),
          columnOfLines("Time ms", kNumber, describeDuration),
          columnOfLines("Spread", kNumber, describeSpread),
          columnOfLines("Failures", kNumber, describeFailures),
          columnOfLines("Share", kPercent, [](const SegmentLine& line) { return line.share(); }),
          columnOfLines("Against best", kWord, [](const SegmentLine& line) { return describeAgainst(line); })};
}

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
    for (const SegmentRow& row : table_.rows) {
      uncompiled(row.uncompiledBefore);
      title(printable(table_.segments.segments[row.segment].name));
      for (size_t r = 0; r < row.cells.size(); ++r)
        if (row.cells[r]) add(segmentLine(table_.runs[r], *row.cells[r]));
    }
    std::vector<std::optional<TimeStatistics>> after;
    for (const SegmentTotals& run : table_.runs) after.push_back(run.uncompiledAfter);
    uncompiled(after);
    std::string text = writeText(rows_, segmentColumns(), style_.columns);
    size_t width = 0;
    for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      width = std::max(width, utf8::length(std::string_view(text).substr(begin, end - begin)));
    }
    text.insert(text.find('\n') + 1, "  " + std::string(width - 2, '=') + "\n");
    out_ += text + "  " + std::string(width - 2, '-') + "\n";
  }

  void title(std::string_view text) { rows_.push_back({fmt::format("{:<2} {}", number_++, text)}); }
  void add(const SegmentLine& line) {
    rows_.push_back({"     " + printable(line.run.run->label), line});
    if (line.compared != nullptr) compared_.push_back(line.compared);
  }

  /// Time outside of segments, if it matters in a run.
  void uncompiled(const std::vector<std::optional<TimeStatistics>>& times) {
    bool isNotable = false;
    for (size_t r = 0; r < times.size(); ++r) {
      if (!times[r] || times[r]->reportedNs == 0) continue;
      const auto whole = static_cast<double>(table_.runs[r].withUncompiled->time.reportedNs);
      isNotable |= static_cast<double>(times[r]->reportedNs) >= kNotableShare * whole;
    }
    if (!isNotable) {
      hasShortGaps_ |= std::ranges::any_of(times, [](const auto& one) { return one && one->reportedNs > 0; });
      return;
    }
    title("Uncompiled");
    for (size_t r = 0; r < times.size(); ++r)
      if (times[r]) add(segmentLine(table_.runs[r], *times[r]));
  }

  void totals() {
    const bool hasWindows =
        std::ranges::all_of(table_.runs, [](const SegmentTotals& run) { return run.uncompiled.has_value(); });
    // What all runs have.
    const auto comparedOf = [hasWindows](const SegmentTotals& run) -> const ComparedTime& {
      return hasWindows ? *run.withUncompiled : run.compiled;
    };
    for (const SegmentTotals& run : table_.runs) compared_.push_back(&comparedOf(run));
    constexpr auto& kFields = kSegmentTotalFields;
    out_ += writeText(
        table_.runs,
        {column("Total times, ms", kText, [](const SegmentTotals& run) { return printable(run.run->label); }),
         column("compiled", kMilliseconds, fieldOf(kFields, "compiled_ns")),
         column("uncompiled", kMilliseconds, [](const SegmentTotals& run) { return reportedNsOf(run.uncompiled); }),
         column("other device work", kMilliseconds, fieldOf(kFields, "other_device_ns")),
         column("compiled + uncompiled", kMilliseconds, fieldOf(kFields, "with_uncompiled_ns")),
         column(hasWindows ? "Against best" : "Compiled against best", kWord,
                [&](const SegmentTotals& run) { return describeAgainst(comparedOf(run)); })},
        style_.columns);
    hasNoWindow_ = !hasWindows;
  }

  void legend() {
    if (hasShortGaps_)
      out_ += fmt::format("  uncompiled times of less than {:.0f} % in all runs are in the totals only\n",
                          100 * kNotableShare);
    if (std::ranges::any_of(rows_, [](const SegmentTextRow& row) {
          return row.line && row.line->isOfSegment() && !row.line->cell->isComplete();
        }))
      out_ += "  >=: kernels of the segment have no events, or fewer in some iterations; their time is not known\n";
    std::vector<Change> shown;
    for (const ComparedTime* time : compared_)
      if (time->change) shown.push_back(*time->change);
    out_ += legendOf(shown, " of the best");
    if (hasNoWindow_) out_ += "  n/a: no annotation or step is around the run, or its times are means of each layer\n";
  }

  const SegmentTable& table_;
  const TextStyle& style_;
  std::vector<SegmentTextRow> rows_;
  size_t number_ = 0;
  bool hasNoWindow_ = false, hasShortGaps_ = false;
  /// Times that the tables compare.
  std::vector<const ComparedTime*> compared_;
  std::string out_;
};

/// One row for each segment, uncompiled time and total of each run.
std::string writeSegmentsCsv(const OutputContext& context) {
  const SegmentTable table = segmentTable(context.reported(), context.report.segments);
  std::vector<SegmentCsvRow> rows;
  const auto add = [&](std::string_view kind, const SegmentLine& line, const SegmentRow* row = nullptr) {
    rows.push_back({line, table, kind, row});
  };
  for (const SegmentRow& row : table.rows)
    for (size_t r = 0; r < table.runs.size(); ++r) {
      if (row.uncompiledBefore[r]) add("uncompiled-before", segmentLine(table.runs[r], *row.uncompiledBefore[r]), &row);
      if (row.cells[r]) add("segment", segmentLine(table.runs[r], *row.cells[r]), &row);
    }
  for (const SegmentTotals& run : table.runs) {
    add("compiled", segmentLine(run, run.compiled));
    if (run.uncompiled) add("uncompiled", segmentLine(run, *run.uncompiled));
    if (run.withUncompiled) add("compiled+uncompiled", segmentLine(run, *run.withUncompiled));
  }
  return writeCsv(rows, kFirstColumns, kCellFields);
}

}  // namespace

constinit const std::span<const Field<SegmentTable>> kSegmentFields = kTableOfSegments;

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
constinit const Output kCompareCsvOutput{.name = "compare-csv",
                                         .summary = "the same as CSV, one row for each segment of each run",
                                         .needs = ir::Facet::Timed,
                                         .write = writeSegmentsCsv,
                                         .isCsv = true,
                                         .options = kOptionsOfComparisons};

}  // namespace amdahlc
