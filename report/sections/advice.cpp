#include <fmt/format.h>

#include "passes/advise/advice_analysis.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using AdviceRow = ItemOf<Advice, ReportRun>;

/// A saving of a run.
struct SavingRow {
  const ReportRun& run;
  const Saving& saving;
};

constexpr auto kSavingFields =
    fields<SavingRow>(field("certain", "of what vanishes: launches, and traffic at the bandwidth of memory",
                            [](auto& row) { return SignedInteger{row.run.perIteration(row.saving.certainNs)}; }),
                      field("likely", "with what is left at the rates that the run reaches",
                            [](auto& row) { return SignedInteger{row.run.perIteration(row.saving.likelyNs)}; }),
                      field("at_most", "with what is left at its roof; without a known roof, if it took no time",
                            [](auto& row) { return SignedInteger{row.run.perIteration(row.saving.atMostNs)}; }));

constexpr auto kAdviceFields = fields<AdviceRow>(
    field("kind", "`change`: somebody can do it; `bound`: nothing says how",
          [](auto& row) { return name(row.item.kind); }),
    field("selector", "what changes, as `-what-if=` takes it; null where that cannot say it",
          [](auto& row) { return nonEmpty(row.item.selector); }),
    field<&Advice::change>("change", "what to do"),
    field<&Advice::places>("places", "module scopes of the kernels that change, those with the most time first"),
    object<kSavingFields>("saves_wall_ns",
                          "by itself, predicted, per iteration; negative if it only helps after those before it",
                          [](auto& row) { return SavingRow{row.run, row.item.wall}; }),
    object<kSavingFields>(
        "saves_window_ns", "likewise; null where the window is not known",
        [](auto& row) { return row.item.window ? std::optional(SavingRow{row.run, *row.item.window}) : std::nullopt; }),
    field("wall_ns",
          "after all changes before it, each as likely, and after it: as likely, or if the bound is reached; "
          "predicted, per iteration",
          [](auto& row) { return row.run.perIteration(row.item.wallNs); }),
    field<&Advice::why>("why", ""), field("assumes", "what it rests on; null: nothing in particular", [](auto& row) {
      return nonEmpty(row.item.assumption);
    }));

constexpr auto kAdviceRunFields =
    fields<ReportRun>(objects<kAdviceFields>("advice", "what to do first, the best first; null without a trace",
                                             kFactRows<AdviceAnalysis, AdviceRow, &AdviceAnalysis::advice>));

constexpr size_t kShownPlaces = 3;

std::string placesText(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : std::span(places).first(std::min(places.size(), kShownPlaces)))
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", printable(place));
  if (places.size() > kShownPlaces) text += fmt::format(" and {} more", places.size() - kShownPlaces);
  return text;
}

std::string adviceDetails(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  if (facts == nullptr || (facts->advice.empty() && facts->notes.empty())) return {};
  const auto us = [&](double totalNs) { return run.predictedUs(totalNs); };
  std::string out =
      fmt::format("what to do first: {} us ({})\n", us(static_cast<double>(facts->baseNs)), describe(facts->model));
  if (const std::string_view why = describe(facts->caution); !why.empty())
    out += fmt::format("  take these for guesses: {}\n", why);
  if (facts->advice.empty() && facts->tried > 0)
    out += fmt::format("  tried {}; none saves 1 % of it\n", plural(facts->tried, "change"));
  size_t number = 0;
  for (const Advice& advice : facts->advice) {
    const auto part = [&](int64_t savedNs) {
      return formatPercent(facts->baseNs > 0 ? static_cast<double>(savedNs) / static_cast<double>(facts->baseNs) : 0);
    };
    if (advice.kind == AdviceKind::Bound) {
      if (number == 0 || facts->advice[number - 1].kind == AdviceKind::Change)
        out += "  bounds, of which nothing says how to reach them\n";
      out += fmt::format("  {}. {}\n", ++number, printable(advice.change));
      out += fmt::format("     saves at most {} of {} by itself; {} us remain after the changes above and it; {}\n",
                         part(advice.wall.atMostNs), info(facts->model).time, us(static_cast<double>(advice.wallNs)),
                         printable(advice.why));
    } else {
      out += fmt::format("  {}. {}{}\n", number + 1, number > 0 ? "then " : "", printable(advice.change));
      ++number;
      out += fmt::format("     likely saves {} of {} by itself (certain {}, at most {}); {} us remain\n",
                         part(advice.wall.likelyNs), info(facts->model).time, part(advice.wall.certainNs),
                         part(advice.wall.atMostNs), us(static_cast<double>(advice.wallNs)));
      out +=
          fmt::format("     {}{}\n", advice.selector.empty() ? "" : fmt::format("`{}`: ", printable(advice.selector)),
                      printable(advice.why));
      if (!advice.assumption.empty()) out += fmt::format("     assumes that {}\n", advice.assumption);
    }
    if (!advice.places.empty()) out += fmt::format("     in {}\n", placesText(advice.places));
  }
  for (const std::string& note : facts->notes) out += fmt::format("  {}\n", printable(note));
  return out;
}

}  // namespace

constinit const ReportSection kAdviceSection{.runFields = kAdviceRunFields, .details = adviceDetails};

}  // namespace amdahlc
