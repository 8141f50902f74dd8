// The first screen: what a person must know of a run, in as many lines as half a terminal has.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>

#include "passes/advise/advice_analysis.h"
#include "report/fields_text.h"
#include "report/measured_runs.h"
#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/run_fields.h"
#include "report/outputs/summary_parts.h"
#include "report/report.h"
#include "support/characters.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using comparison::Difference;

constexpr size_t kScreenLines = 25;
/// Longer lines are hard to read, also where a terminal is wider.
constexpr unsigned kScreenColumns = 80, kMostColumns = 100;
/// On a narrower terminal lines are broken by the terminal.
constexpr unsigned kFewestColumns = 20;
constexpr size_t kRows = 10, kFewestRows = 3;
constexpr size_t kPiecesOfAdvice = 3;
constexpr size_t kShownProblems = 1, kShownAnswers = 5;
/// A longer label is not an example.
constexpr size_t kLongLabel = 7;

using Lines = std::vector<std::string>;

Lines linesOf(std::string_view text) {
  Lines lines;
  for (size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.emplace_back(text.substr(begin, end - begin));
  return lines;
}

void append(Lines& lines, Lines more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class FirstScreen {
 public:
  FirstScreen(const Report& report, const TextStyle& style, const ReportOptions& options)
      : report_(report),
        style_(style),
        options_(options),
        columns_(style.columns == kColumnsOfAPipe ? kScreenColumns
                                                  : std::clamp(style.columns, kFewestColumns, kMostColumns)) {}

  std::string write() {
    if (report_.runs.empty()) {
      paragraph(describeWithoutKernels(*report_.module, {}));
    } else if (isBeforeAndAfter(report_)) {
      compared(compare(measuredRun(report_.runs[0]), measuredRun(report_.runs[1])), report_.runs[1]);
    } else if (report_.runs.size() > 1) {
      severalRuns();
    } else {
      oneRun(report_.runs.front());
    }
    if (options_.ranks) {
      for (const std::string& line : rankHeadlines(*options_.ranks)) paragraph(line);
      paragraph("`-emit=ranks` compares the ranks");
    }
    problems();
    return fit();
  }

 private:
  // Texts.

  /// Lines of the text, all but the first one indented. A number and its unit stay together.
  Lines wrapped(std::string_view first, std::string text, size_t indent) const {
    constexpr char kKept = '\1';
    for (size_t i = 1; i < text.size(); ++i)
      if (text[i] == ' ' && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0) text[i] = kKept;
    Lines lines = utf8::wrapped(std::string(first) + text, columns_ - indent);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::ranges::replace(lines[i], kKept, ' ');
      if (i > 0) lines[i].insert(0, indent, ' ');
    }
    return lines;
  }
  void paragraph(std::string text) { append(head_, wrapped("", std::move(text), 2)); }
  void titleLine(std::string text) {
    for (std::string& line : wrapped("", std::move(text), 2)) head_.push_back(style_.bold(line));
  }

  // One run.

  void oneRun(const RunReport& run) {
    if (options_.baseline && run.totals) {
      const auto before = runBefore(*options_.baseline, run, report_.runs.size());
      if (before) return compared(compare(**before, measuredRun(run)), run);
      title(run);
      paragraph(fmt::format("WARNING: {}", describe(*before.absence())));
    } else {
      title(run);
    }
    verdict(run);
    totals(run);
    answers(run);
    if (run.totals) advice(run, "what to do first");
    rows_ = [this, &run](size_t rows) { return kernels(run, rows); };
    next(run);
  }

  void title(const RunReport& run) {
    std::string text = describeRun(run, {});
    if (run.timeline && !run.timeline->file.starts_with(run.label))
      text += fmt::format(", run `{}`", printable(run.label));
    if (run.totals) text += fmt::format(", {}", plural(run.totals->iterations, "iteration"));
    if (report_.module->isRecorded()) text += ", without a model";
    titleLine(std::move(text));
    if (!run.timeline) paragraph(describeWithoutTimes(run));
  }

  void verdict(const RunReport& run) {
    if (const std::string caveat = run.caveatBesideVerdict(); !caveat.empty()) paragraph(caveat);
    if (!run.verdict) return;
    const Verdict& verdict = *run.verdict;
    if (!verdict.text.empty()) paragraph(verdict.text);
    std::string text = fmt::format("trust: {}", name(verdict.trust));
    if (!verdict.reason.empty()) text += fmt::format(", because {}", verdict.reason);
    if (!verdict.advice.empty()) text += fmt::format("; {}", verdict.advice);
    paragraph(text);
  }

  void totals(const RunReport& run) {
    if (!run.totals) return;
    const TraceTotals& totals = *run.totals;
    std::string text = "per iteration: ";
    if (totals.window) text += fmt::format("window {}, ", formatReadable(totals.window->reportedNs));
    if (totals.wall) text += fmt::format("wall {}, ", formatReadable(totals.wall->reportedNs));
    text += fmt::format("busy {}", formatReadable(totals.busy.reportedNs));
    paragraph(std::move(text));
  }

  void answers(const RunReport& run) {
    const std::string before = report_.runs.size() > 1 ? fmt::format("`{}`: ", printable(run.label)) : "";
    Lines all;
    for (const ReportSection* section : reportSections())
      if (section->answers != nullptr) append(all, section->answers(run));
    for (const std::string& answer : std::span(all).first(std::min(all.size(), kShownAnswers)))
      paragraph(before + answer);
    if (all.size() > kShownAnswers)
      paragraph(fmt::format("{}{} more in `-emit=summary=full`", before, plural(all.size() - kShownAnswers, "answer")));
  }

  /// What the first changes save, and, where there is none, why not.
  void advice(const RunReport& run, const std::string& heading) {
    const auto* facts = run.facts<AdviceAnalysis>();
    if (facts == nullptr) return;
    const std::string_view time = info(facts->model).time;
    const std::string_view why = describe(facts->caution);
    const std::string guess = why.empty() ? "" : fmt::format("; take it for a guess: {}", why);
    adviceHeading_ = fmt::format("{}, and what each likely saves of {} time by itself{}", heading, time, guess);
    for (const Advice& one : facts->advice) {
      if (advice_.size() == kPiecesOfAdvice) break;
      // What helps only after other changes is of no use to who has made none.
      const AdviceAnalysis::Told told = facts->told(one);
      const bool isBound = one.kind == AdviceKind::Bound;
      if (shareOf(isBound ? told.saving.atMostNs : told.saving.likelyNs, told.ofNs) < kLeastSaving) continue;
      advice_.push_back(wrapped(fmt::format("  {}. ", advice_.size() + 1), pieceOfAdvice(one, *facts), 5));
    }
    if (!advice_.empty()) return;
    adviceHeading_ = heading + guess;
    const std::string nothing =
        facts->tried > 0
            ? fmt::format("{} tried, and none saves 1 % of {} time",
                          facts->tried == 1 ? "one change was" : fmt::format("{} changes were", facts->tried), time)
            : std::string("no change is known that would help");
    advice_.push_back(wrapped("  ", nothing, 2));
    if (!facts->notes.empty()) advice_.push_back(wrapped("  ", printable(facts->notes.front()), 2));
  }

  std::string pieceOfAdvice(const Advice& advice, const AdviceAnalysis& facts) const {
    const AdviceAnalysis::Told told = facts.told(advice);
    const auto saved = [&](int64_t ns) { return formatPercent(shareOf(ns, told.ofNs)); };
    const std::string_view of = told.isOfWindow ? " of the window" : "";
    if (advice.kind == AdviceKind::Bound)
      return fmt::format("{} (a bound, nothing says how): at most {}{}", printable(advice.change),
                         saved(told.saving.atMostNs), of);
    std::string text = printable(advice.change);
    if (!advice.places.empty()) {
      text += fmt::format("; in `{}`", printable(advice.places.front()));
      if (advice.places.size() > 1) text += fmt::format(" and {} more", advice.places.size() - 1);
    }
    const Saving& saving = told.saving;
    text += fmt::format(": {}{}", saved(saving.likelyNs), of);
    if (saving.certainNs != saving.likelyNs || saving.atMostNs != saving.likelyNs)
      text += fmt::format(" (at least {}, at most {})", saved(saving.certainNs), saved(saving.atMostNs));
    return text;
  }

  Lines table(const std::string& text) const {
    Lines lines = linesOf(text);
    if (!lines.empty()) lines.front() = style_.bold(lines.front());
    return lines;
  }

  /// The longest kernels; of a run without times the first ones.
  Lines kernels(const RunReport& run, size_t rows) const {
    std::vector<const KernelRow*> all = longestKernels(run);
    if (all.empty()) return {};
    const size_t total = all.size();
    all.resize(std::min(total, rows));
    ReadableUnit unit = readableUnit(run.totals ? all.front()->time->reportedNs : 0);
    const bool hasPlaces = std::ranges::any_of(all, [](const KernelRow* row) { return !placeOf(*row).empty(); });
    constexpr auto& kFields = kFirstKernelFields;
    return table(
        writeText(rowsOf<RunKernelRow>(run, all),
                  {column(fmt::format("kernel ({} of {})", all.size(), total), kText, fieldOf(kFields, "label")),
                   column("in", kText, [](const RunKernelRow& row) { return placeOf(row.item); }).onlyIf(hasPlaces),
                   column("category", kText, fieldOf(kFields, "category")),
                   column(std::string(unit.name), kNumber,
                          [&](const RunKernelRow& row) { return unit.format(row.item.time->reportedNs); })
                       .onlyIf(run.totals.has_value()),
                   column("of busy", kPercent, fieldOf(kFields, "ratio")).onlyIf(run.totals.has_value())},
                  columns_));
  }

  // Several runs.

  /// Of each run why it is not to be trusted, and the answers.
  void doubtsAndAnswers() {
    for (const RunReport& run : report_.runs) {
      if (run.verdict && run.verdict->trust != TrustLevel::Full)
        paragraph(fmt::format("`{}`: {}", printable(run.label), run.verdict->whole()));
      answers(run);
    }
  }

  void compared(const comparison::Comparison& comparison, const RunReport& after) {
    const std::string model = report_.module->isRecorded() ? "" : printable(report_.module->modelName) + "; ";
    titleLine(fmt::format("{}before: {}; after: {}", model, runName(comparison.before), runName(comparison.after)));
    for (const std::string& caveat : comparison.caveats) paragraph(fmt::format("WARNING: {}", caveat));
    if (comparison.notComparable)
      paragraph(fmt::format("WARNING: {}", describe(*comparison.notComparable)));
    else
      paragraph(outcome(comparison));
    doubtsAndAnswers();
    append(head_, differences("per iteration, us", comparison.totals, comparison.totals.size(), false));
    advice(after, report_.runs.size() > 1 ? fmt::format("what to do first in `{}`", printable(after.label))
                                          : "what to do first");
    rows_ = [this, comparison](size_t rows) {
      if (comparison.kernels.empty()) return Lines{"no kernel has a time to compare"};
      return differences("kernel, us", comparison.kernels, rows, true);
    };
    next(after);
  }

  Lines differences(const std::string& title, const std::vector<Difference>& all, size_t rows, bool hasNodes) const {
    const size_t shown = std::min(rows, all.size());
    std::vector<comparison::Change> changes;
    for (const Difference& row : std::span(all).first(shown))
      if (!row.isOnlyBefore() && !row.isOnlyAfter()) changes.push_back(row.judgement.change);
    Lines lines =
        table(writeText(std::vector<Difference>(all.begin(), all.begin() + static_cast<ptrdiff_t>(shown)),
                        {column(title, kText, [](const Difference& row) { return row.name; }),
                         column("first node", kText, [](const Difference& row) { return row.node; }).onlyIf(hasNodes),
                         column("before", kMicroseconds, [](const Difference& row) { return nsOf(row.before); }),
                         column("after", kMicroseconds, [](const Difference& row) { return nsOf(row.after); }),
                         column("change", kNumber,
                                [](const Difference& row) {
                                  const std::string change = changeOf(row);
                                  return fmt::format("{}{}{}", change, change.empty() ? "" : " ", markOf(row));
                                })},
                        columns_));
    if (!hasNodes) return lines;
    for (const std::string& line : linesOf(comparison::legendOf(changes)))
      append(lines, wrapped("  ", line.substr(2), 2));
    return lines;
  }

  /// Runs that are not compared: a row for each, and what to do first in the slowest one.
  void severalRuns() {
    head_.push_back(
        style_.bold(fmt::format("{}, {}", printable(report_.module->modelName), plural(report_.runs.size(), "run"))));
    const RunReport& slowest = slowestRun(report_);
    doubtsAndAnswers();
    advice(slowest, fmt::format("what to do first in `{}`, which takes longest", printable(slowest.label)));
    rows_ = [this](size_t rows) { return runs(rows); };
    more_ = "more: `-emit=compare` puts runs side by side; `-emit=summary=full`, `-help`";
  }

  Lines runs(size_t rows) const {
    const auto share = [](const RunReport& run, const std::optional<TimeStatistics>& of) {
      return run.totals && of ? std::optional(shareOf(run.totals->busy.reportedNs, of->reportedNs)) : std::nullopt;
    };
    const auto us = [](const RunReport& run, const std::optional<TimeStatistics> TraceTotals::* member) {
      return run.totals ? reportedNsOf((*run.totals).*member) : std::nullopt;
    };
    return table(writeText(
        report_.runs,
        {column("runs, us per iteration", kText, [](const RunReport& run) { return run.label; }),
         column("window", kMicroseconds, [&](const RunReport& run) { return us(run, &TraceTotals::window); }),
         column("wall", kMicroseconds, [&](const RunReport& run) { return us(run, &TraceTotals::wall); }),
         column("busy", kMicroseconds,
                [](const RunReport& run) {
                  return run.totals ? std::optional(run.totals->busy.reportedNs) : std::nullopt;
                }),
         column("of wall", kPercent,
                [&](const RunReport& run) { return run.totals ? share(run, run.totals->wall) : std::nullopt; })},
        columns_, {rows}));
  }

  // The whole.

  void problems() {
    const std::vector<DataProblem>& all = report_.problems;
    for (const DataProblem& problem : std::span(all).first(std::min(all.size(), kShownProblems)))
      paragraph(fmt::format("data problem `{}`: {}", problem.name, printable(problem.what)));
    if (all.size() > kShownProblems)
      paragraph(fmt::format("{} more in `-emit=summary=full`", plural(all.size() - kShownProblems, "data problem")));
  }

  /// What a reader does next.
  void next(const RunReport& run) {
    more_ = "more: `-emit=summary=full`, `-emit=svg=run.svg`, `-help`";
    if (!run.verdict || run.verdict->trust == TrustLevel::None || run.byRule.empty()) return;
    const std::string& label = run.byRule.front().name;
    const bool isWord = std::ranges::all_of(
        label, [](unsigned char character) { return std::isalnum(character) != 0 || character == '_'; });
    if (isWord && label.size() <= kLongLabel) more_ += fmt::format(", `-what-if={}=2x`", label);
  }

  /// Advice and rows as far as there is room; all of them where the user asks for so many.
  std::string fit() {
    const Lines heading = wrapped("", adviceHeading_, 2);
    size_t rows = options_.rows(kRows), pieces = advice_.size();
    Lines table = rows_ ? rows_(rows) : Lines();
    const auto lines = [&] {
      size_t count = head_.size() + table.size() + (table.empty() ? 0 : 1) + (more_.empty() ? 0 : 1);
      if (pieces > 0) count += heading.size();
      for (size_t i = 0; i < pieces; ++i) count += advice_[i].size();
      return count;
    };
    while (lines() > kScreenLines && pieces > 1) --pieces;
    while (!options_.top && lines() > kScreenLines && rows > kFewestRows) table = rows_(--rows);
    const bool hasRoom = lines() + 1 <= kScreenLines;
    std::string out;
    const auto add = [&](const std::string& line) { out += line + "\n"; };
    for (const std::string& line : head_) add(line);
    if (pieces > 0) {
      if (hasRoom) add("");
      for (const std::string& line : heading) add(style_.bold(line));
      for (const Lines& piece : std::span(advice_).first(pieces)) std::ranges::for_each(piece, add);
    }
    if (!table.empty()) add("");
    std::ranges::for_each(table, add);
    if (!more_.empty()) add(more_);
    return out;
  }

  const Report& report_;
  const TextStyle& style_;
  const ReportOptions& options_;
  const unsigned columns_;
  Lines head_;
  std::string adviceHeading_, more_;
  std::vector<Lines> advice_;
  /// The table with at most so many rows; null for none.
  std::function<Lines(size_t)> rows_;
};

}  // namespace

constinit const Output kSummaryOutput{
    .name = kDefaultOutput,
    .summary = "the first screen: verdict, trust, what to do first, and the longest kernels",
    .write =
        [](const OutputContext& context) {
          return FirstScreen(context.reported(), context.style, context.report).write();
        },
    .baseline = Output::BaselineUse::IfGiven,
    .options = kOptionsOfTables};

}  // namespace amdahlc
