#include <fmt/format.h>

#include "passes/advise/advice_analysis.h"
#include "passes/manager/report_values.h"
#include "report/sections.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

struct AdviceRow {
  const Advice& advice;
  double iterations;
};

std::optional<std::vector<AdviceRow>> adviceRows(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  if (facts == nullptr) return std::nullopt;
  std::vector<AdviceRow> rows;
  for (const Advice& advice : facts->advice) rows.push_back({advice, static_cast<double>(run.iterations)});
  return rows;
}

constexpr auto kAdviceFields = fields(
    field("selector", "what changes, as `-what-if=` takes it",
          [](const AdviceRow& row) { return row.advice.selector; }),
    field("change", "what to do", [](const AdviceRow& row) { return row.advice.change; }),
    field(
        "saves_wall_ns", "by itself, predicted, per iteration",
        [](const AdviceRow& row) { return PredictedNs{static_cast<double>(row.advice.savesWallNs) / row.iterations}; }),
    field("wall_ns", "after it and those before it, predicted, per iteration",
          [](const AdviceRow& row) { return PredictedNs{static_cast<double>(row.advice.wallNs) / row.iterations}; }),
    field("why", "", [](const AdviceRow& row) { return row.advice.why; }),
    field("assumes", "what it rests on; null: nothing in particular",
          [](const AdviceRow& row) { return nonEmpty(row.advice.assumption); }));

constexpr auto kAdviceRunFields =
    fields(objects<kAdviceFields>("advice", "what to do first, the best first; null without a trace",
                                  [](const ReportRun& run) { return adviceRows(run); }));

std::string adviceDetails(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  if (facts == nullptr || (facts->advice.empty() && facts->notes.empty())) return {};
  const auto iterations = static_cast<double>(run.iterations);
  const std::string_view what = facts->model == schedule::WallModel::Unknown ? "busy" : "wall";
  std::string out = fmt::format("what to do first: {} {} us, {}\n", what,
                                microseconds(static_cast<double>(facts->measuredNs) / iterations),
                                facts->model == schedule::WallModel::Replay ? "predicted by replay" : "idle time kept");
  if (const std::string_view why = describe(facts->caution); !why.empty())
    out += fmt::format("  take these for guesses: {}\n", why);
  if (facts->advice.empty() && facts->tried > 0)
    out += fmt::format("  tried {}; none saves 1 % of it\n", plural(facts->tried, "change"));
  size_t number = 0;
  auto nowNs = static_cast<double>(facts->measuredNs);
  for (const Advice& advice : facts->advice) {
    ++number;
    out += fmt::format("  {}. {}`{}`: {}\n", number, number > 1 ? "then " : "", printable(advice.selector),
                       printable(advice.change));
    const auto thenNs = static_cast<double>(advice.wallNs);
    out += fmt::format("     saves {} us ({}), {} us remain; {}\n", microseconds((nowNs - thenNs) / iterations),
                       formatPercent(nowNs > 0 ? (nowNs - thenNs) / nowNs : 0), microseconds(thenNs / iterations),
                       printable(advice.why));
    if (!advice.assumption.empty()) out += fmt::format("     assumes that {}\n", advice.assumption);
    nowNs = thenNs;
  }
  for (const std::string& note : facts->notes) out += fmt::format("  {}\n", printable(note));
  return out;
}

}  // namespace

constinit const ReportSection kAdviceSection{.runFields = kAdviceRunFields, .details = adviceDetails};

}  // namespace amdahlc
