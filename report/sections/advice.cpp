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
    object<kSavingFields>("saves_ns",
                          "of the time of an iteration, the longer one of wall and window: by itself, predicted, per "
                          "iteration; negative if it only helps after those before it",
                          [](auto& row) { return SavingRow{row.run, row.item.saving}; }),
    object<kSavingFields>("saves_wall_ns", "of wall likewise",
                          [](auto& row) { return SavingRow{row.run, row.item.wall}; }),
    object<kSavingFields>(
        "saves_window_ns", "of the window likewise; null where it is not known",
        [](auto& row) { return row.item.window ? std::optional(SavingRow{row.run, *row.item.window}) : std::nullopt; }),
    field("wall_ns",
          "after all changes before it, each as likely, and after it: as likely, or if the bound is reached; "
          "predicted, per iteration",
          [](auto& row) { return row.run.perIteration(row.item.left.wallNs); }),
    field("window_ns", "of the window likewise; null where it is not known",
          [](auto& row) {
            return row.item.left.windowNs ? std::optional(row.run.perIteration(*row.item.left.windowNs)) : std::nullopt;
          }),
    field<&Advice::why>("why", ""),
    field(
        "within_noise",
        "whether it likely saves, or a bound saves at most, no more than `noise_ns` of `advice_limit`; false also for "
        "advice to measure again; null where the noise is unknown",
        [](auto& row) {
          const auto* facts = row.run.template facts<AdviceAnalysis>();
          return facts->noiseNs ? std::optional(row.item.isWithinNoise) : std::nullopt;
        }),
    field("assumes", "what it rests on; null: nothing in particular",
          [](auto& row) { return nonEmpty(row.item.assumption); }));

struct LimitRow {
  const ReportRun& run;
  const AdviceAnalysis& facts;

  std::optional<int64_t> remains(const std::optional<AdvisedTimes>& times) const {
    return times ? std::optional(run.perIteration(times->longerNs())) : std::nullopt;
  }
};

std::optional<LimitRow> limitOf(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  return facts != nullptr ? std::optional(LimitRow{run, *facts}) : std::nullopt;
}

constexpr auto kLimitFields = fields<LimitRow>(
    field("limit",
          "`host`: a device that takes no time saves less than a tenth; `device`: a host that takes none does; "
          "`both`: each of the two; `turns`: neither; null: unknown",
          [](auto& row) {
            const std::string_view limit = name(row.facts.limit());
            return limit.empty() ? std::nullopt : std::optional(limit);
          }),
    field("base_ns", "the time of an iteration: the longer one of wall and window",
          [](auto& row) { return row.run.perIteration(row.facts.base.longerNs()); }),
    field("noise_ns",
          "by how much it differs for no reason of the program: the larger one of the deviation of the iterations, and "
          "of what disturbed the reported one; null for fewer than three iterations",
          [](auto& row) {
            return row.facts.noiseNs ? std::optional(row.run.perIteration(*row.facts.noiseNs)) : std::nullopt;
          }),
    field("without_device_ns",
          "what remains of it if all work of the device took no time, predicted; null unless replayed",
          [](auto& row) { return row.remains(row.facts.withoutDevice); }),
    field("without_host_ns", "the same if the host took no time",
          [](auto& row) { return row.remains(row.facts.withoutHost); }));

constexpr auto kAdviceRunFields = fields<ReportRun>(
    object<kLimitFields>("advice_limit",
                         "the time of an iteration, and whether host or device limits it; null without a trace",
                         [](auto& run) { return limitOf(run); }),
    objects<kAdviceFields>("advice", "what to do first, the best first; null without a trace",
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
  const auto us = [&](int64_t totalNs) { return run.predictedUs(static_cast<double>(totalNs)); };
  std::string out = fmt::format("what to do first: {} us ({}, {})\n", us(facts->base.longerNs()), facts->timeName(),
                                info(facts->model).how);
  const std::string_view why = facts->whyGuess();
  if (!why.empty() && !facts->advice.empty()) out += fmt::format("  take these for guesses: {}\n", why);
  if (facts->advice.empty() && facts->tried > 0)
    out += fmt::format("  tried {}; none saves 1 % of it{}{}\n", plural(facts->tried, "possible change"),
                       why.empty() ? "" : "; this is a guess, because ", why);
  size_t number = 0;
  for (const Advice& advice : facts->advice) {
    const auto part = [&](int64_t savedNs) { return formatPercent(shareOf(savedNs, facts->base.longerNs())); };
    if (advice.kind == AdviceKind::Bound) {
      if (number == 0 || facts->advice[number - 1].kind == AdviceKind::Change)
        out += "  bounds, of which nothing says how to reach them\n";
      out += fmt::format("  {}. {}\n", ++number, printable(advice.change));
      out += fmt::format("     saves at most {} of {} by itself; {} us remain after the changes above and it; {}\n",
                         part(advice.saving.atMostNs), facts->timeName(), us(advice.left.longerNs()),
                         printable(advice.why));
    } else {
      out += fmt::format("  {}. {}{}\n", number + 1, number > 0 ? "then " : "", printable(advice.change));
      ++number;
      out += fmt::format("     likely saves {} of {} by itself (certain {}, at most {}); {} us remain\n",
                         part(advice.saving.likelyNs), facts->timeName(), part(advice.saving.certainNs),
                         part(advice.saving.atMostNs), us(advice.left.longerNs()));
      out +=
          fmt::format("     {}{}\n", advice.selector.empty() ? "" : fmt::format("`{}`: ", printable(advice.selector)),
                      printable(advice.why));
      if (!advice.assumption.empty()) out += fmt::format("     assumes that {}\n", advice.assumption);
    }
    if (advice.isWithinNoise)
      out += fmt::format("     no more than the {} by which iterations differ: measure it over many iterations\n",
                         formatPercent(facts->noise()));
    if (!advice.places.empty()) out += fmt::format("     in {}\n", placesText(advice.places));
  }
  for (const std::string& note : facts->notes) out += fmt::format("  {}\n", printable(note));
  return out;
}

}  // namespace

constinit const ReportSection kAdviceSection{.runFields = kAdviceRunFields, .details = adviceDetails};

}  // namespace amdahlc
