#include <fmt/format.h>

#include <algorithm>

#include "passes/advise/advice_analysis.h"
#include "passes/manager/json_fields.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

struct AdviceRow {
  const Advice& advice;
  double iterations;
};

std::optional<std::vector<AdviceRow>> rowsOf(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  if (facts == nullptr) return std::nullopt;
  std::vector<AdviceRow> rows;
  for (const Advice& advice : facts->advice)
    rows.push_back({advice, static_cast<double>(std::max<int64_t>(run.iterations, 1))});
  return rows;
}

JsonFields<AdviceRow> adviceFields() {
  return {
      jsonField<AdviceRow>("selector", schema::text(), "what changes, as `-what-if=` takes it",
                           [](auto& row) { return row.advice.selector; }),
      jsonField<AdviceRow>("change", schema::text(), "what to do", [](auto& row) { return row.advice.change; }),
      jsonField<AdviceRow>("saves_wall_ns", schema::quantity(), "by itself, predicted, per iteration",
                           [](auto& row) { return nanoseconds(row.advice.savesWallNs / row.iterations); }),
      jsonField<AdviceRow>("wall_ns", schema::quantity(), "after it and those before it, predicted, per iteration",
                           [](auto& row) { return nanoseconds(row.advice.wallNs / row.iterations); }),
      jsonField<AdviceRow>("why", schema::text(), "", [](auto& row) { return row.advice.why; }),
      jsonField<AdviceRow>("assumes", schema::orNull(schema::text()), "what it rests on; null: nothing in particular",
                           [](auto& row) { return nonEmpty(row.advice.assumption); }),
  };
}

JsonFields<ReportRun> runFields() {
  return {jsonArrayOrNull<ReportRun>("advice", "what to do first, the best first; null without a trace", adviceFields(),
                                     rowsOf)};
}

std::string microseconds(double ns) { return fmt::format("{:.3f}", ns / 1000); }

std::string details(const ReportRun& run) {
  const auto* facts = run.facts<AdviceAnalysis>();
  if (facts == nullptr || (facts->advice.empty() && facts->notes.empty())) return {};
  const auto iterations = static_cast<double>(std::max<int64_t>(run.iterations, 1));
  const std::string_view what = facts->isWall ? "wall" : "busy";
  std::string out = fmt::format("what to do first: {} {} us, {}\n", what, microseconds(facts->measuredNs / iterations),
                                facts->isReplayed ? "predicted by replay" : "idle time kept");
  if (const std::string_view why = text(facts->caution); !why.empty())
    out += fmt::format("  take these for guesses: {}\n", why);
  if (facts->advice.empty() && facts->tried > 0)
    out += fmt::format("  tried {}; none saves 1 % of it\n", plural(facts->tried, "change"));
  size_t number = 0;
  double nowNs = facts->measuredNs;
  for (const Advice& advice : facts->advice) {
    ++number;
    out += fmt::format("  {}. {}`{}`: {}\n", number, number > 1 ? "then " : "", printable(advice.selector),
                       printable(advice.change));
    out += fmt::format("     saves {} us ({}), {} us remain; {}\n", microseconds((nowNs - advice.wallNs) / iterations),
                       percent(nowNs > 0 ? (nowNs - advice.wallNs) / nowNs : 0),
                       microseconds(advice.wallNs / iterations), printable(advice.why));
    if (!advice.assumption.empty()) out += fmt::format("     assumes that {}\n", advice.assumption);
    nowNs = advice.wallNs;
  }
  for (const std::string& note : facts->notes) out += fmt::format("  {}\n", printable(note));
  return out;
}

}  // namespace

ReportSection adviceSection() { return {.runFields = runFields, .details = details}; }

}  // namespace amdahlc
