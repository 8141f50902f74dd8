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
    field("window_ns", "of the window likewise; null where it is not known",
          [](auto& row) {
            return row.item.windowNs ? std::optional(row.run.perIteration(*row.item.windowNs)) : std::nullopt;
          }),
    field<&Advice::why>("why", ""), field("assumes", "what it rests on; null: nothing in particular", [](auto& row) {
      return nonEmpty(row.item.assumption);
    }));

struct LimitRow {
  const ReportRun& run;
  const AdviceAnalysis& facts;
};

std::optional<LimitRow> limitOf(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  return facts != nullptr && facts->freeDeviceNs ? std::optional(LimitRow{run, *facts}) : std::nullopt;
}

constexpr auto kLimitFields = fields<LimitRow>(
    field("limit",
          "`host`: nothing on the device is worth doing; `device`: nothing on the host is; `both`; null: unknown",
          [](auto& row) {
            const std::string_view limit = name(row.facts.limit());
            return limit.empty() ? std::nullopt : std::optional(limit);
          }),
    field("base_ns", "the longer one of wall and window, per iteration",
          [](auto& row) { return row.run.perIteration(*row.facts.longerNs); }),
    field("without_device_ns", "what remains of it if all work of the device took no time, predicted",
          [](auto& row) { return row.run.perIteration(*row.facts.freeDeviceNs); }),
    field("without_host_ns", "the same if the host took no time",
          [](auto& row) { return row.run.perIteration(*row.facts.freeHostNs); }));

std::string limitText(const AdviceAnalysis& facts) {
  if (!facts.longerNs) return {};
  const std::string time =
      *facts.longerNs > facts.baseNs ? "the window" : fmt::format("{} time", info(facts.model).time);
  const auto left = [&](int64_t ns) { return formatPercent(shareOf(ns, *facts.longerNs)); };
  if (facts.limit() == RunLimit::Host)
    return fmt::format(
        "  the host limits {}: if all work of the device took no time, {} of it would remain, so that faster kernels "
        "alone do not shorten it\n",
        time, left(*facts.freeDeviceNs));
  if (facts.limit() == RunLimit::Device)
    return fmt::format("  the device limits {}: if the host took no time, {} of it would remain\n", time,
                       left(*facts.freeHostNs));
  return {};
}

constexpr auto kAdviceRunFields = fields<ReportRun>(
    object<kLimitFields>("advice_limit", "whether host or device limits the run; null unless replayed",
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
  if (facts == nullptr || (facts->advice.empty() && facts->notes.empty() && facts->limit() == RunLimit::Unknown))
    return {};
  const auto us = [&](double totalNs) { return run.predictedUs(totalNs); };
  std::string out =
      fmt::format("what to do first: {} us ({})\n", us(static_cast<double>(facts->baseNs)), describe(facts->model));
  if (const std::string_view why = describe(facts->caution); !why.empty())
    out += fmt::format("  take these for guesses: {}\n", why);
  out += limitText(*facts);
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
      const AdviceAnalysis::Told told = facts->told(advice);
      const auto saved = [&](int64_t ns) { return formatPercent(shareOf(ns, told.ofNs)); };
      out += fmt::format(
          "     likely saves {} of {} by itself (certain {}, at most {}); {} us{} remain\n",
          saved(told.saving.likelyNs), told.of, saved(told.saving.certainNs), saved(told.saving.atMostNs),
          us(static_cast<double>(told.isOfWindow ? *advice.windowNs : advice.wallNs)), told.isOfWindow ? " of it" : "");
      // One that saves of the window alone leaves wall as those before it did.
      const int64_t beforeNs = number > 1 ? facts->advice[number - 2].wallNs : facts->baseNs;
      if (!told.isOfWindow && advice.windowNs && advice.wallNs == beforeNs)
        out.insert(out.size() - 1, fmt::format(", and {} us of the window", us(static_cast<double>(*advice.windowNs))));
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
