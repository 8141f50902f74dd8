#include <fmt/format.h>

#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/report.h"
#include "report/section.h"
#include "report/table.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// A prediction, per iteration.
struct WhatIf {
  const ReportRun& run;
  const Prediction& prediction;

  std::optional<double> speedup() const {
    return quotient(static_cast<double>(prediction.base.busyNs), static_cast<double>(prediction.times.busyNs));
  }
  std::optional<double> speedupWall() const {
    const auto &before = prediction.base.wallNs, &after = prediction.times.wallNs;
    return before && after ? quotient(static_cast<double>(*before), static_cast<double>(*after)) : std::nullopt;
  }
};

std::vector<WhatIf> whatIfRows(const ReportRun& run) {
  std::vector<WhatIf> rows;
  for (const Prediction& prediction : predictionsOf(*run.analyses, run.id)) rows.push_back({run, prediction});
  return rows;
}

struct ChangedKernel {
  ir::KernelId id;
  const Rational& factor;
  int64_t durationNs;
};

constexpr auto kChangedKernelFields = fields<ChangedKernel>(
    field<&ChangedKernel::id>("id", ""),
    field("factor", "new / old time, a fraction", [](auto& row) { return row.factor.describe(); }),
    field("duration_ns", "predicted, per iteration", [](auto& row) { return row.durationNs; }));

constexpr auto kPredictedPathFields = fields<WhatIf>(
    field("duration_ns", "", [](auto& row) { return row.run.predictedNs(row.prediction.pathNs); }),
    field("ratio", "of the predicted busy time",
          [](auto& row) { return quotient(row.prediction.pathNs, static_cast<double>(row.prediction.times.busyNs)); }),
    field("kernels", "ids from the start", [](auto& row) { return row.prediction.path; }));

constexpr auto kWhatIfFields = fields<WhatIf>(
    field("name", "of the scenario", [](auto& row) { return row.prediction.scenario; }),
    field("wall_model", "idle time stays, or the run is replayed from its calls; null: wall is unknown",
          [](auto& row) { return wallModelName(row.prediction.times.model); }),
    field("no_replay", "why the run is not replayed; null: it is", [](auto& row) { return row.prediction.noReplay; }),
    field("base_busy_ns", "what the prediction started from: as measured of a run that is replayed, else undisturbed",
          [](auto& row) { return row.run.perIteration(row.prediction.base.busyNs); }),
    field("base_wall_ns", "the same of wall; null: unknown",
          [](auto& row) { return row.run.predicted(row.prediction.base.wallNs); }),
    field("base_window_ns", "the same of the window; null: no window is predicted",
          [](auto& row) { return row.run.predicted(row.prediction.base.windowNs); }),
    field("busy_ns", "predicted, per iteration",
          [](auto& row) { return row.run.perIteration(row.prediction.times.busyNs); }),
    field("wall_ns", "predicted, per iteration",
          [](auto& row) { return row.run.predicted(row.prediction.times.wallNs); }),
    field("window_ns",
          "predicted, per iteration; null if it is unknown, and where neither a replay nor one thread tells it",
          [](auto& row) { return row.run.predicted(row.prediction.times.windowNs); }),
    field("speedup", "base over predicted busy; null: infinite, or the run took no time",
          [](auto& row) { return row.speedup(); }),
    field("speedup_wall", "base over predicted wall; null: infinite, or wall is unknown",
          [](auto& row) { return row.speedupWall(); }),
    field("caution", "why the prediction is worth little; null: no reason",
          [](auto& row) { return nonEmpty(describe(row.prediction.times.caution)); }),
    field("assumes", "what it rests on, besides what every prediction does",
          [](auto& row) { return row.prediction.assumptions; }),
    objects<kChangedKernelFields>("kernels", "those with a new time",
                                  [](const WhatIf& row) {
                                    std::vector<ChangedKernel> rows;
                                    for (const auto& [id, factor] : row.prediction.factors)
                                      rows.push_back({id, factor, *predictedKernelNs(row.run, row.prediction, id)});
                                    return rows;
                                  }),
    object<kPredictedPathFields>("critical_path", "of the kernels, with the new times",
                                 [](auto& row) { return &row; }));

constexpr auto kWhatIfRunFields = fields<ReportRun>(objects<kWhatIfFields>(
    "what_if", "predictions; null without speed-ups", [](const ReportRun& run) -> std::optional<std::vector<WhatIf>> {
      if (run.module->scenarios.empty() || !findPredictions(*run.analyses, run.id)) return std::nullopt;
      return whatIfRows(run);
    }));

/// One line per scenario, always of this form, so that it can be found with grep.
std::string whatIfDetails(const ReportRun& run) {
  std::string out;
  for (const WhatIf& row : whatIfRows(run)) {
    const schedule::PredictedTimes &base = row.prediction.base, &predicted = row.prediction.times;
    const auto us = [&](double totalNs) { return row.run.predictedUs(totalNs); };
    const std::string wall =
        predicted.wallNs
            ? fmt::format("wall {} -> {} us ({}, {})", us(static_cast<double>(*base.wallNs)),
                          us(static_cast<double>(*predicted.wallNs)), speedupText(*base.wallNs, row.speedupWall()),
                          schedule::info(predicted.model).how)
            : "wall unknown";
    out += fmt::format("what-if `{}`: busy {} -> {} us ({}), {}", printable(row.prediction.scenario),
                       us(static_cast<double>(base.busyNs)), us(static_cast<double>(predicted.busyNs)),
                       speedupText(base.busyNs, row.speedup()), wall);
    if (predicted.windowNs && base.windowNs)
      out += fmt::format(", window {} -> {} us", us(static_cast<double>(*base.windowNs)),
                         us(static_cast<double>(*predicted.windowNs)));
    out += fmt::format(", path {} us, {} changed", us(row.prediction.pathNs),
                       plural(row.prediction.factors.size(), "kernel"));
    if (predicted.caution != schedule::Caution::None) out += fmt::format("; {}", describe(predicted.caution));
    out += "\n";
    for (const std::string_view assumption : row.prediction.assumptions)
      out += fmt::format("  assumes that {}\n", assumption);
  }
  const RunPredictions* found = findPredictions(*run.analyses, run.id);
  if (found == nullptr) return out;
  // The run has one reason, for all predictions but those whose author knows it.
  for (const Prediction& prediction : found->predictions) {
    if (!prediction.noReplay || prediction.noReplay->reason == Absence::Reason::KeepsIdle) continue;
    out += fmt::format("  predicted without a replay, because {}\n", describe(*prediction.noReplay));
    break;
  }
  for (const auto& [scenario, noReplay] : found->onlyReplayed)
    out += fmt::format("what-if `{}`: unknown, because only a replay tells all that it changes, and {}\n",
                       printable(scenario), describe(noReplay));
  return out;
}

std::vector<std::string> whatIfAnswers(const ReportRun& run) {
  std::vector<std::string> answers;
  for (const WhatIf& row : whatIfRows(run)) {
    const schedule::PredictedTimes &base = row.prediction.base, &then = row.prediction.times;
    const auto readable = [&](int64_t totalNs) { return formatReadable(run.perIteration(totalNs)); };
    const std::string time = timeOfAnswer(run, then.model);
    const int64_t beforeNs = then.wallNs ? *base.wallNs : base.busyNs, afterNs = then.limitNs();
    std::string text = fmt::format("what-if `{}`: {} {} -> {}", printable(row.prediction.scenario), time,
                                   readable(beforeNs), readable(afterNs));
    if (beforeNs > 0)
      text += fmt::format(", {} as fast",
                          formatShortSpeedup(quotient(static_cast<double>(beforeNs), static_cast<double>(afterNs))));
    if (then.caution != schedule::Caution::None) text += fmt::format("; {}", describe(then.caution));
    answers.push_back(std::move(text));
  }
  if (const RunPredictions* found = findPredictions(*run.analyses, run.id))
    for (const auto& [scenario, noReplay] : found->onlyReplayed)
      answers.push_back(fmt::format("what-if `{}`: unknown, because only a replay tells all that it changes, and {}",
                                    printable(scenario), describe(noReplay)));
  return answers;
}

/// What is known of one scenario in a run.
struct Answer {
  const ReportRun& run;
  std::string_view label;
  /// Null if the run is not predicted.
  const Prediction* prediction;
  std::string unknown;
};

constexpr auto kAnswerFields = fields<Answer>(
    field("run", "its label", [](auto& row) { return row.label; }),
    field("unknown", "why there is no prediction; null: there is one", [](auto& row) { return nonEmpty(row.unknown); }),
    object<kWhatIfFields>("prediction", "as in `what_if` of the report", [](const Answer& row) {
      return row.prediction != nullptr ? std::optional(WhatIf{row.run, *row.prediction}) : std::nullopt;
    }));

std::string reasonOfNone(const RunPredictions& found) {
  if (found.onlyReplayed.empty()) return "a time could exceed what a run can take";
  return fmt::format("only a replay tells all that it changes, and {}", describe(found.onlyReplayed.front().second));
}

}  // namespace

RowTable predictionTable(const Report& report, const std::map<ir::CoverId, RunPredictions>& runs) {
  RowTable table;
  JsonStream out(table.rows);
  out.beginArray();
  for (const RunReport& run : report.runs) {
    const auto found = runs.find(run.id);
    if (found == runs.end()) continue;
    const RunPredictions& known = found->second;
    if (known.predictions.empty())
      writeObject(kAnswerFields, Answer{run, run.label, nullptr, reasonOfNone(known)}, out);
    else
      writeObject(kAnswerFields, Answer{run, run.label, &known.predictions.front(), {}}, out);
  }
  out.end();
  table.rowSchema = schemaOf(kAnswerFields).dump();
  return table;
}

constinit const ReportSection kWhatIfSection{
    .runFields = kWhatIfRunFields, .answers = whatIfAnswers, .details = whatIfDetails};

}  // namespace amdahlc
