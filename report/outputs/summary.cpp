// The first screen: what a person must know of a run, in as many lines as half a terminal has.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "passes/advise/advice_analysis.h"
#include "report/fields_text.h"
#include "report/measured_runs.h"
#include "report/outputs/first_screen.h"
#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/run_fields.h"
#include "report/outputs/segment_writers.h"
#include "report/outputs/summary_parts.h"
#include "report/report.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using comparison::Difference;

/// A longer label is not an example.
constexpr size_t kLongLabel = 7;
/// Below this part of busy time, a sum of medians is a time of its own to a reader.
constexpr double kMuchLess = 0.9;
constexpr size_t kShownProblems = 1, kShownAnswers = 5;

class FirstScreen : private Screen {
 public:
  FirstScreen(const Report& report, const TextStyle& style, const ReportOptions& options)
      : Screen(style), report_(report), options_(options) {}

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
      more_ = "more: `-emit=ranks` compares the ranks; `-emit=summary=full`, `-help`";
    }
    problems();
    return fit(options_.top);
  }

 private:
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
    totals(run);
    verdict(run);
    answers(run);
    // Of numbers that nobody should trust follows only what the verdict says.
    const bool isTrusted = !run.verdict || run.verdict->trust != TrustLevel::None;
    if (run.totals && hasTime(run) && isTrusted) advice(run, "what to do first");
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
    if (run.timeline) return;
    std::string times = describeWithoutTimes(run);
    if (report_.module->timelines.empty())
      times += fmt::format("; give the trace of a run too: `amdahlc trace.json {}`", printable(run.module->modelName));
    paragraph(std::move(times));
  }

  void verdict(const RunReport& run) {
    // A verdict that nothing is to be trusted says why.
    const bool isUntrusted = run.verdict && run.verdict->trust == TrustLevel::None;
    if (const std::string caveat = run.caveatBesideVerdict(); !caveat.empty() && !isUntrusted) paragraph(caveat);
    if (!run.verdict) return;
    const Verdict& verdict = *run.verdict;
    if (!verdict.text.empty()) paragraph(verdict.text);
    std::string text = fmt::format("trust: {}", name(verdict.trust));
    if (!verdict.reason.empty()) text += fmt::format(", because {}", verdict.reason);
    if (!verdict.advice.empty()) text += fmt::format("; {}", verdict.advice);
    paragraph(text);
  }

  /// Whether anything that counts was measured.
  static bool hasTime(const RunReport& run) { return run.totals->busy.reportedNs > 0; }

  void totals(const RunReport& run) {
    if (!run.totals || (!hasTime(run) && !run.totals->window)) return;
    const TraceTotals& totals = *run.totals;
    const bool onHost = run.computesOnHost();
    std::string text = "An iteration: ";
    if (!hasTime(run))
      return paragraph(fmt::format("{}{} on the host (window), and no work in it that was measured.", text,
                                   formatReadable(totals.window->reportedNs)));
    if (totals.window) text += fmt::format("{} on the host (window), ", formatReadable(totals.window->reportedNs));
    if (totals.wall)
      text += fmt::format("{} from the first to the last {} (wall), ", formatReadable(totals.wall->reportedNs),
                          onHost ? "operator" : "device event");
    paragraph(text + fmt::format("{} {} (busy).", formatReadable(totals.busy.reportedNs),
                                 onHost ? "in operators" : "of device work"));
    // Times of kernels are medians, and their shares are of what busy time would be with these.
    if (const auto* facts = run.facts<AdviceAnalysis>(); facts != nullptr && facts->isUndisturbed()) {
      std::string undisturbed =
          fmt::format("{} ({})", formatReadable(run.perIteration(facts->base.longerNs())), shortTimeName(*facts));
      if (run.showsUndisturbed() && facts->model != schedule::WallModel::Unknown)
        undisturbed += fmt::format(", {} (busy)", formatReadable(*totals.undisturbedNs));
      if (facts->iterations < kFewestIterations)
        return paragraph(fmt::format(
            "Best case (each kernel at the lesser of its two times): {}; shares and savings are of that. Two "
            "iterations do not tell what is typical: record three or more.",
            undisturbed));
      const double disturbed = shareOf(facts->measuredNs - facts->base.longerNs(), facts->measuredNs);
      paragraph(fmt::format(
          "Undisturbed (each kernel at its median): {}; shares and savings are of that{}.", undisturbed,
          disturbed > 0 ? fmt::format("; {} of the {} is disturbance", formatPercent(disturbed), shortTimeName(*facts))
                        : ""));
    } else if (run.showsUndisturbed() && shareOf(*totals.undisturbedNs, totals.busy.reportedNs) < kMuchLess)
      paragraph(fmt::format("If each kernel took {}, it would be {}; shares are of that.", run.countedTime(),
                            formatReadable(*totals.undisturbedNs)));
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
    const std::string_view time = facts->timeName();
    const std::string_view why = facts->whyGuess();
    const std::string guess = why.empty() ? "" : fmt::format("; this is a guess, because {}", why);
    // With the longer name it fits a line without a word.
    adviceHeading_ = fmt::format("{}{} what each likely saves of {} by itself{}", heading,
                                 facts->isUndisturbed() ? ":" : ", and", time, guess);
    for (const Advice& one : facts->advice) {
      if (advice_.size() == kPiecesOfAdvice) break;
      // What helps only after other changes is of no use to who has made none.
      const int64_t savedNs = one.kind == AdviceKind::Bound ? one.saving.atMostNs : one.saving.likelyNs;
      if (shareOf(savedNs, facts->base.longerNs()) < kLeastSaving) continue;
      advice_.push_back(wrapped(fmt::format("  {}. ", advice_.size() + 1), pieceOfAdvice(one, *facts), 5));
    }
    if (!advice_.empty()) return;
    adviceHeading_ = heading;
    const std::string nothing =
        facts->tried == 0 ? std::string("no change is known that would help")
        : facts->tried == 1
            ? fmt::format("one possible change was predicted; it saves less than 1 % of {}", time)
            : fmt::format("{} possible changes were predicted; each saves less than 1 % of {}", facts->tried, time);
    advice_.push_back(wrapped("  ", nothing, 2));
    if (!why.empty()) adviceHeading_ += guess;
    if (!facts->notes.empty()) advice_.push_back(wrapped("  ", printable(facts->notes.front()), 2));
  }

  std::string pieceOfAdvice(const Advice& advice, const AdviceAnalysis& facts) const {
    const auto saved = [&](int64_t ns) { return formatPercent(shareOf(ns, facts.base.longerNs())); };
    if (advice.kind == AdviceKind::Bound)
      return fmt::format("{}: at most {}, a bound; nothing says how to reach it", printable(advice.change),
                         saved(advice.saving.atMostNs));
    std::string text = printable(advice.change);
    if (!advice.places.empty()) {
      text += fmt::format("; in `{}`", printable(advice.places.front()));
      if (advice.places.size() > 1) text += fmt::format(" and {} more", advice.places.size() - 1);
    }
    const Saving& saving = advice.saving;
    text += fmt::format(": {}", saved(saving.likelyNs));
    const std::string least =
        saving.certainNs > 0 && saving.certainNs != saving.likelyNs ? "at least " + saved(saving.certainNs) : "";
    const std::string most = saving.atMostNs != saving.likelyNs ? "at most " + saved(saving.atMostNs) : "";
    if (!least.empty() || !most.empty())
      text += fmt::format(" ({}{}{})", least, least.empty() || most.empty() ? "" : ", ", most);
    if (advice.isWithinNoise) text += ", no more than iterations differ by";
    return text;
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
                   column("in", kPath, [](const RunKernelRow& row) { return placeOf(row.item); }).onlyIf(hasPlaces),
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
    Lines lines = table(
        writeText(std::vector<Difference>(all.begin(), all.begin() + static_cast<ptrdiff_t>(shown)),
                  {column(title, kText, [](const Difference& row) { return row.name; }),
                   column("first node", kText, [](const Difference& row) { return row.node; }).onlyIf(hasNodes),
                   column("before", kMicroseconds,
                          [](const Difference& row) { return row.isOnlyAfter() ? std::nullopt : nsOf(row.before); }),
                   column("after", kMicroseconds,
                          [](const Difference& row) { return row.isOnlyBefore() ? std::nullopt : nsOf(row.after); }),
                   column("change", kNumber,
                          [](const Difference& row) {
                            if (row.isOnlyBefore() || row.isOnlyAfter()) return std::string(markOf(row));
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
    for (std::string& sentence : fastestRun(segmentTable(report_, options_.segments))) paragraph(std::move(sentence));
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
      paragraph(fmt::format("data problem `{}`, {}: {}", problem.name, plural(problem.count, "time"),
                            printable(problem.what)));
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

  const Report& report_;
  const ReportOptions& options_;
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
