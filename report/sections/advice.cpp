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

constexpr auto kAdviceFields = fields<AdviceRow>(
    field<&Advice::selector>("selector", "what changes, as `-what-if=` takes it"),
    field<&Advice::change>("change", "what to do"),
    field("saves_wall_ns", "by itself, predicted, per iteration; negative if it only helps after those before it",
          [](auto& row) { return SignedInteger{row.run.perIteration(row.item.savesWallNs)}; }),
    field("wall_ns", "after it and those before it, predicted, per iteration",
          [](auto& row) { return row.run.perIteration(row.item.wallNs); }),
    field<&Advice::why>("why", ""), field("assumes", "what it rests on; null: nothing in particular", [](auto& row) {
      return nonEmpty(row.item.assumption);
    }));

constexpr auto kAdviceRunFields =
    fields<ReportRun>(objects<kAdviceFields>("advice", "what to do first, the best first; null without a trace",
                                             kFactRows<AdviceAnalysis, AdviceRow, &AdviceAnalysis::advice>));

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
  auto nowNs = static_cast<double>(facts->baseNs);
  for (const Advice& advice : facts->advice) {
    ++number;
    out += fmt::format("  {}. {}`{}`: {}\n", number, number > 1 ? "then " : "", printable(advice.selector),
                       printable(advice.change));
    const auto thenNs = static_cast<double>(advice.wallNs);
    out += fmt::format("     saves {} us ({}), {} us remain; {}\n", us(nowNs - thenNs),
                       formatPercent(nowNs > 0 ? (nowNs - thenNs) / nowNs : 0), us(thenNs), printable(advice.why));
    if (!advice.assumption.empty()) out += fmt::format("     assumes that {}\n", advice.assumption);
    nowNs = thenNs;
  }
  for (const std::string& note : facts->notes) out += fmt::format("  {}\n", printable(note));
  return out;
}

}  // namespace

constinit const ReportSection kAdviceSection{.runFields = kAdviceRunFields, .details = adviceDetails};

}  // namespace amdahlc
