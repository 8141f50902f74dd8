// What a person must know first, as HTML that needs no script: what the first screen says, with room for all of it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <cstdlib>
#include <span>

#include "passes/advise/advice_analysis.h"
#include "passes/schedule/schedule_analysis.h"
#include "report/measured_runs.h"
#include "report/outputs/html_parts.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/segment_writers.h"
#include "report/outputs/summary_parts.h"
#include "report/page/page_document.h"
#include "report/report.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/ratio.h"
#include "support/utf8.h"

namespace amdahlc {
namespace {

using comparison::Difference;
using page::escaped;

constexpr size_t kRows = 20, kShownPlaces = 4;
/// Of a name with more bytes, only the beginning and the end are shown; the report has all of it.
constexpr size_t kLongName = 240;

std::string code(std::string_view name) {
  if (name.size() <= kLongName) return fmt::format("<code>{}</code>", escaped(name));
  std::string_view end = name.substr(name.size() - kLongName / 4);
  while (!end.empty() && !utf8::startsSequence(end.front())) end.remove_prefix(1);
  return fmt::format("<code>{}…{}</code>", escaped(utf8::beginning(name, kLongName / 2)), escaped(end));
}

/// A sentence in which names stand between backticks. No line begins with a sign of per cent.
std::string prose(std::string_view sentence) {
  const std::string joined = boost::replace_all_copy(std::string(sentence), " %", "\u00a0%");
  std::string_view text = joined;
  std::string out;
  for (bool isName = false;; isName = !isName) {
    const size_t end = text.find('`');
    // A backtick without a second one is a character as any other.
    const bool isLast = end == text.npos || (!isName && text.find('`', end + 1) == text.npos);
    const std::string_view part = isLast ? text : text.substr(0, end);
    out += isName ? code(part) : escaped(part);
    if (isLast) return out;
    text.remove_prefix(end + 1);
  }
}

/// A sentence that begins with a capital letter unless it begins with a name.
std::string capitalised(std::string sentence) {
  if (!sentence.empty())
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

/// A number with its exact value, as the report has it.
std::string time(int64_t ns) { return fmt::format("<data value=\"{}\">{}</data>", ns, formatReadable(ns)); }
std::string percent(double ratio) { return fmt::format("<data value=\"{}\">{}</data>", ratio, formatPercent(ratio)); }

/// A bar of a share, for the eye only.
std::string bar(double share) {
  return fmt::format(
      "<svg class=\"share\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
      "class=\"all\" "
      "width=\"100\" height=\"1\"/><rect width=\"{:.2f}\" height=\"1\"/></svg>",
      100 * std::clamp(share, 0.0, 1.0));
}

class Head {
 public:
  explicit Head(const OutputContext& context) : report_(context.reported()), options_(context.report) {}

  std::string write() {
    ranks();
    if (report_.runs.empty()) {
      paragraph("verdict", describeWithoutKernels(*report_.module, {}));
    } else if (isBeforeAndAfter(report_)) {
      compared(compare(measuredRun(report_.runs[0]), measuredRun(report_.runs[1])));
      for (const RunReport& run : report_.runs) this->run(run, &run == &report_.runs[1]);
    } else if (report_.runs.size() > 1) {
      severalRuns();
    } else {
      const RunReport& run = report_.runs.front();
      if (options_.baseline != nullptr && run.totals) withBaseline(run);
      this->run(run, true);
    }
    problems();
    return std::move(out_);
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }
  void paragraph(std::string_view kind, std::string_view text) { add("<p class=\"{}\">{}</p>\n", kind, prose(text)); }
  /// Of a part of a run, below the name of the run where there are several.
  void heading(std::string_view html) {
    const int level = report_.runs.size() > 1 ? 3 : 2;
    add("<h{} class=\"part\">{}</h{}>\n", level, html, level);
  }
  void warning(std::string_view text) { paragraph("warning", text); }

  /// With what to do first only of one of several runs.
  void run(const RunReport& run, bool isAdvised) {
    const bool isOneOfSeveral = report_.runs.size() > 1;
    // By these attributes the script makes links to the views.
    add("<article data-run=\"{}\">\n", &run - report_.runs.data());
    if (isOneOfSeveral) add("<h2>Run {}</h2>\n", code(run.label));
    subject(run);
    verdict(run);
    totals(run);
    for (const ReportSection* section : reportSections())
      if (section->answers != nullptr)
        for (const std::string& answer : section->answers(run)) paragraph("answer", capitalised(answer));
    // Beside one another where there is room.
    add("<div class=\"halves\">\n");
    if (isAdvised && run.totals) advice(run);
    if (!isAdvised && run.totals)
      paragraph("note", "What to do first is told here of one run only; What-if has it of this one.");
    if (isAdvised || !isOneOfSeveral) kernels(run);
    add("</div>\n</article>\n");
  }

  /// What was measured, in a line below the title.
  void subject(const RunReport& run) {
    std::string text = escaped(run.timeline ? run.timeline->file : run.module->modelName);
    const auto also = [&](const std::string& part) {
      if (!part.empty()) text += " <span>" + part + "</span>";
    };
    also(escaped(run.target.device.empty() ? run.target.vendor : run.target.device));
    if (run.timeline && !run.timeline->devices.empty())
      also(fmt::format("device {}, one of {}", escaped(run.timeline->device), run.timeline->devices.size()));
    if (run.totals) also(plural(run.totals->iterations, "iteration"));
    also(report_.module->isRecorded() ? "without a model" : "");
    add("<p class=\"subject\">{}</p>\n", text);
    if (!run.timeline) paragraph("verdict", describeWithoutTimes(run));
  }

  void verdict(const RunReport& run) {
    if (const std::string caveat = run.caveatBesideVerdict(); !caveat.empty()) warning(caveat);
    if (!run.verdict) return;
    const Verdict& verdict = *run.verdict;
    if (!verdict.text.empty()) paragraph("verdict", verdict.text);
    std::string text = fmt::format("<strong>Trust in what was measured: {}</strong>", name(verdict.trust));
    if (!verdict.reason.empty()) text += fmt::format(", because {}", prose(verdict.reason));
    if (!verdict.advice.empty()) text += fmt::format("; {}", prose(verdict.advice));
    add("<p class=\"trust {}\">{}</p>\n", name(verdict.trust), text);
    predictions(run);
  }

  /// How far the replay of the unchanged run is off, by which changes are predicted.
  void predictions(const RunReport& run) {
    const auto* facts = run.facts<ScheduleAnalysis>();
    const auto* advice = run.facts<AdviceAnalysis>();
    if (facts == nullptr || !facts->run || advice == nullptr || facts->run->wallNs <= 0) return;
    const schedule::RunSchedule& replay = *facts->run;
    const auto off = [](int64_t replayedNs, int64_t measuredNs) {
      return formatPercent(shareOf(std::abs(replayedNs - measuredNs), measuredNs));
    };
    std::string text =
        fmt::format("replaying the unchanged run misses wall time by {}", off(replay.kept.wallNs, replay.wallNs));
    if (replay.kept.windowNs && replay.windowNs && *replay.windowNs > 0)
      text += fmt::format(", the window by {}", off(*replay.kept.windowNs, *replay.windowNs));
    if (const std::string_view why = describe(advice->caution); !why.empty())
      text = fmt::format("because {}; {}", why, text);
    const TrustLevel level = advice->caution == schedule::Caution::None ? TrustLevel::Full : TrustLevel::Limited;
    add("<p class=\"trust {0}\"><strong>Trust in predictions: {0}</strong>, {1}</p>\n", name(level), prose(text));
  }

  void totals(const RunReport& run) {
    if (!run.totals) return;
    const TraceTotals& totals = *run.totals;
    const auto longest = std::max(totals.window ? totals.window->reportedNs : 0,
                                  totals.wall ? totals.wall->reportedNs : totals.busy.reportedNs);
    const auto row = [&](std::string_view name, int64_t ns, std::string_view what) {
      add("<div><dt>{}</dt><dd>{}{}<small>{}</small></dd></div>\n", name, time(ns), bar(shareOf(ns, longest)), what);
    };
    add("<dl class=\"totals\" aria-label=\"Times of an iteration\">\n");
    // Work that an iteration launches may run on behind the end of its window.
    const bool isBehind = totals.window && totals.wall && totals.wall->reportedNs > totals.window->reportedNs;
    if (totals.window)
      row("Window", totals.window->reportedNs,
          isBehind ? "the step on the host; the device works for it beyond that" : "what the user waits for");
    const std::string_view work = run.computesOnHost() ? "operator" : "device event";
    if (totals.wall)
      row("Wall", totals.wall->reportedNs, fmt::format("from the first {} to the end of the last", work));
    row("Busy", totals.busy.reportedNs, run.computesOnHost() ? "operators run" : "the device works");
    if (totals.idle) row("Idle", totals.idle->reportedNs, "the rest of wall");
    // Savings are parts of it, and it is none of the times above.
    if (const auto* facts = run.facts<AdviceAnalysis>(); facts != nullptr && facts->isUndisturbed()) {
      const int64_t disturbanceNs = facts->measuredNs - facts->base.longerNs();
      const bool isBestCase = facts->iterations < kFewestIterations;
      std::string what =
          fmt::format("{} with each kernel at {}; savings are of it", shortTimeName(*facts), run.countedTime());
      if (isBestCase)
        what += "; two iterations do not tell what is typical: record three or more";
      else if (disturbanceNs > 0)
        what +=
            fmt::format("; {}, {} of the measured {}, is disturbance", formatReadable(run.perIteration(disturbanceNs)),
                        formatPercent(shareOf(disturbanceNs, facts->measuredNs)), shortTimeName(*facts));
      row(isBestCase ? "Best case" : "Undisturbed", run.perIteration(facts->base.longerNs()), what);
    }
    add("</dl>\n");
  }

  /// All that helps by itself, with what it saves of the time of an iteration.
  void advice(const RunReport& run) {
    const auto* facts = run.facts<AdviceAnalysis>();
    if (facts == nullptr) return;
    add("<section>\n");
    const std::string rank = rankOfPage();
    heading(fmt::format("What to do first <small>and what each saves of {}{} by itself</small>", facts->timeName(),
                        rank.empty() ? "" : " of " + rank));
    std::vector<const Advice*> told;
    for (const Advice& one : facts->advice)
      if (shareOfSaving(one, *facts) >= kLeastSaving) told.push_back(&one);
    const std::string_view why = facts->whyGuess();
    if (!why.empty() && !told.empty()) warning(fmt::format("What follows is a guess: {}.", why));
    if (told.empty()) {
      paragraph("", facts->tried > 0
                        ? fmt::format("{} tried, and none saves 1 % of {}{}{}.",
                                      facts->tried == 1 ? "One possible change was"
                                                        : fmt::format("{} possible changes were", facts->tried),
                                      facts->timeName(), why.empty() ? "" : "; this is a guess, because ", why)
                        : std::string("No change is known that would help."));
    } else {
      add("<ol class=\"advice\">\n");
      for (const Advice* one : told) pieceOfAdvice(run, *one, *facts);
      add("</ol>\n");
    }
    // What helps only after other changes is of no use to who has made none.
    if (!told.empty() && told.size() < facts->advice.size())
      paragraph("note", fmt::format("What saves only after these is left out: {}; `-emit=summary=full` has all.",
                                    plural(facts->advice.size() - told.size(), "more change")));
    for (const std::string& note : facts->notes) paragraph("note", capitalised(note) + ".");
    add("</section>\n");
  }

  /// By itself, of the time of an iteration.
  static double shareOfSaving(const Advice& advice, const AdviceAnalysis& facts) {
    const int64_t savedNs = advice.kind == AdviceKind::Bound ? advice.saving.atMostNs : advice.saving.likelyNs;
    return shareOf(savedNs, facts.base.longerNs());
  }

  void pieceOfAdvice(const RunReport& run, const Advice& advice, const AdviceAnalysis& facts) {
    const Saving& saving = advice.saving;
    const bool isBound = advice.kind == AdviceKind::Bound;
    const auto saved = [&](int64_t ns) {
      return fmt::format("{} <span class=\"of\">{}</span>", time(run.perIteration(ns)),
                         formatPercent(shareOf(ns, facts.base.longerNs())));
    };
    const double likely = shareOfSaving(advice, facts);
    add("<li>\n<p class=\"change\">{}</p>\n<div class=\"saves\"><strong>{}</strong>{}<dl>",
        prose(capitalised(advice.change)), formatPercent(likely), bar(likely));
    if (!isBound) {
      add("<div><dt>certain</dt><dd>{}</dd></div>", saved(saving.certainNs));
      add("<div><dt>likely</dt><dd>{}</dd></div>", saved(saving.likelyNs));
    }
    add("<div><dt>at most</dt><dd>{}</dd></div></dl></div>\n", saved(saving.atMostNs));
    std::string places;
    for (const std::string& place : std::span(advice.places).first(std::min(advice.places.size(), kShownPlaces)))
      places += (places.empty() ? "In " : ", ") + code(place);
    if (advice.places.size() > kShownPlaces) places += fmt::format(" and {} more", advice.places.size() - kShownPlaces);
    if (!places.empty()) add("<p class=\"places\">{}</p>\n", places);
    std::string why = prose(capitalised(advice.why));
    if (isBound) why += "; nothing says how to reach it";
    if (!advice.assumption.empty()) why += "; assumes that " + prose(advice.assumption);
    if (advice.isWithinNoise)
      why += fmt::format("; that is no more than the {} by which iterations differ: measure it over many iterations",
                         formatPercent(facts.noise()));
    add("<p class=\"why\">{}</p>\n", why);
    // A shell ends a quote at an apostrophe.
    if (!advice.selector.empty())
      add("<p class=\"try\" data-option=\"{}\"><code>-what-if='{}'</code></p>\n", escaped(advice.selector),
          escaped(replaced(advice.selector, {{'\'', "'\\''"}})));
    add("</li>\n");
  }

  void kernels(const RunReport& run) {
    const std::vector<const KernelRow*> all = longestKernels(run);
    if (all.empty()) return;
    const size_t rows = std::min(all.size(), options_.rows(kRows));
    const bool isTimed = run.totals.has_value();
    add("<section>\n");
    heading(fmt::format("{} <small>{} of {}</small>", isTimed ? "Longest kernels" : "Kernels", rows, all.size()));
    add("<table class=\"kernels\">\n<thead><tr><th scope=\"col\">Kernel</th>");
    add("<th scope=\"col\">Category</th>");
    if (isTimed)
      add("<th scope=\"col\" class=\"number\">Time, us</th><th scope=\"col\" class=\"number\">Of {}busy</th>",
          run.showsUndisturbed() ? fmt::format("{} ", run.undisturbedWord()) : "");
    add("</tr></thead>\n<tbody>\n");
    for (const KernelRow* row : std::span(all).first(rows)) {
      const std::string place = placeOf(*row);
      add("<tr data-kernel=\"{}\"><th scope=\"row\">{}{}</th><td>{}</td>", row->id.index(), code(row->label),
          place.empty() ? "" : fmt::format(" <small>{}</small>", code(place)), escaped(row->category));
      if (isTimed) {
        const double share = row->shares ? row->shares->ratio : 0;
        const int64_t ns = row->time->reportedNs;
        add("<td class=\"number\"><data value=\"{}\">{}</data></td>", ns, formatUs(ns));
        add("<td class=\"number\">{}{}</td>", row->shares ? percent(share) : "", bar(share));
      }
      add("</tr>\n");
    }
    add("</tbody>\n</table>\n</section>\n");
  }

  // Several runs.

  void withBaseline(const RunReport& run) {
    const auto before = runBefore(*options_.baseline, run, report_.runs.size());
    before ? compared(compare(**before, measuredRun(run))) : warning(describe(*before.absence()));
  }

  void compared(const comparison::Comparison& comparison) {
    add("<article>\n<h2>Before and after</h2>\n");
    paragraph("subject", fmt::format("{} then {}", runName(comparison.before), runName(comparison.after)));
    for (const std::string& caveat : comparison.caveats) warning(caveat);
    if (comparison.notComparable)
      warning(describe(*comparison.notComparable));
    else
      paragraph("verdict", capitalised(outcome(comparison)) + ".");
    differences("Totals", comparison.totals, comparison.totals.size());
    if (!comparison.kernels.empty()) differences("Kernels", comparison.kernels, options_.rows(kRows));
    add("</article>\n");
  }

  void differences(std::string_view title, const std::vector<Difference>& all, size_t rows) {
    rows = std::min(rows, all.size());
    add("<table class=\"compared\">\n<thead><tr><th scope=\"col\">{}</th><th scope=\"col\" class=\"number\">Before</th>"
        "<th scope=\"col\" class=\"number\">After</th><th scope=\"col\" "
        "class=\"number\">Change</th></tr></thead>\n<tbody>\n",
        title);
    for (const Difference& row : std::span(all).first(rows)) {
      const auto side = [](const std::optional<comparison::MeasuredTime>& measured) {
        return measured ? time(measured->ns) : std::string();
      };
      add("<tr><th scope=\"row\">{}{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number "
          "{}\">{} {}</td></tr>\n",
          escaped(row.name), row.scope.empty() ? "" : " " + code(row.scope), side(row.before), side(row.after),
          row.isNoise() || row.isUnknown() ? "noise"
          : row.differenceNs() < 0         ? "faster"
                                           : "slower",
          changeOf(row), row.isNoise() ? "within noise" : markOf(row));
    }
    add("</tbody>\n</table>\n");
  }

  /// Runs that are not compared, and all of the slowest one.
  void severalRuns() {
    const RunReport& slowest = slowestRun(report_);
    const auto cell = [&](const std::optional<int64_t>& ns) {
      add("<td class=\"number\">{}</td>", ns ? time(*ns) : std::string());
    };
    add("<article>\n<h2>{}</h2>\n<table class=\"runs\">\n<thead><tr><th scope=\"col\">Run</th><th scope=\"col\" "
        "class=\"number\">Window</th><th scope=\"col\" class=\"number\">Wall</th><th scope=\"col\" "
        "class=\"number\">Busy</th></tr></thead>\n<tbody>\n",
        plural(report_.runs.size(), "run"));
    for (const RunReport& run : report_.runs) {
      add("<tr><th scope=\"row\">{}</th>", code(run.label));
      cell(run.totals ? reportedNsOf(run.totals->window) : std::nullopt);
      cell(run.totals ? reportedNsOf(run.totals->wall) : std::nullopt);
      cell(run.totals ? std::optional(run.totals->busy.reportedNs) : std::nullopt);
      add("</tr>\n");
    }
    add("</tbody>\n</table>\n");
    for (const std::string& sentence : fastestRun(segmentTable(report_, options_.segments)))
      paragraph("verdict", capitalised(sentence) + ".");
    add("</article>\n");
    for (const RunReport& run : report_.runs) this->run(run, &run == &slowest);
  }

  /// `rank 0`: that of the only run; empty where there are several, or where it is not known.
  std::string rankOfPage() const {
    if (options_.ranks == nullptr || report_.runs.size() != 1 || !report_.runs.front().timeline) return {};
    const std::string& file = report_.runs.front().timeline->file;
    const auto& all = options_.ranks->ranks;
    const auto one = std::ranges::find(all, file, &ranks::ComparedRank::file);
    return one == all.end() ? "" : fmt::format("rank {}", one->number);
  }

  void ranks() {
    if (options_.ranks == nullptr) return;
    add("<article>\n<h2>Ranks</h2>\n");
    std::string verdict = capitalised(describeRanks(*options_.ranks));
    if (const std::string rank = rankOfPage(); !rank.empty())
      verdict += fmt::format("; the rest of this page is about {}", rank);
    paragraph("verdict", verdict + ".");
    for (const std::string& line : rankHeadlines(*options_.ranks)) {
      constexpr std::string_view kWarning = "WARNING: ";
      line.starts_with(kWarning) ? warning(capitalised(line.substr(kWarning.size())))
                                 : paragraph("", capitalised(line) + ".");
    }
    add("</article>\n");
  }

  void problems() {
    if (report_.problems.empty()) return;
    add("<article>\n<h2>Data problems</h2>\n<ul class=\"problems\">\n");
    for (const DataProblem& problem : report_.problems)
      add("<li>{} <small>{}, {}</small></li>\n", prose(problem.what), code(problem.name),
          plural(problem.count, "time"));
    add("</ul>\n</article>\n");
  }

  const Report& report_;
  const ReportOptions& options_;
  std::string out_;
};

}  // namespace

std::string summaryAsHtml(const OutputContext& context) { return Head(context).write(); }

}  // namespace amdahlc
