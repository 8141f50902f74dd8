#include <fmt/format.h>

#include <algorithm>

#include "ir/facets/scenarios.h"
#include "ir/facets/timed.h"
#include "passes/manager/ratios.h"
#include "passes/manager/report_values.h"
#include "passes/roofline/roofline_analysis.h"
#include "passes/speedup_rewrite/replayed_scenarios.h"
#include "report/sections.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

constexpr std::string_view kFusedWithoutRoof =
    "a fused kernel runs where its last part ran, for the time of its parts: without a description of the device, no "
    "traffic between them is saved";

/// What the predictions of a scenario rest on, besides what those of all do; each once.
std::vector<std::string_view> assumptionsOf(const ir::Scenario& scenario, const ReportRun& run) {
  const auto* roofline = run.facts<RooflineAnalysis>();
  const bool isDescribed = roofline != nullptr && roofline->hardware.has_value();
  std::vector<std::string_view> all;
  for (const ir::Change& change : scenario.changes) {
    std::string_view one = ir::info(change.kind).assumption;
    if (change.kind == ir::ChangeKind::Fuse && !isDescribed) one = kFusedWithoutRoof;
    if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  return all;
}

/// A prediction by one model, per iteration, with the measured times.
struct WhatIf {
  const ir::Scenario& scenario;
  const ReportRun& run;
  const ir::Prediction& prediction;
  const IdVector<ir::KernelId, ir::KernelTime>& times;
  /// Null for the model that keeps idle time.
  const ReplayPrediction* replayed;
  double iterations, busyNs, pathNs;
  std::optional<double> wallNs, windowNs, speedup, speedupWall, pathRatio;

  WhatIf(const ReportRun& ofRun, const ir::Scenario& planned, const ir::Prediction& predicted,
         const ReplayPrediction* replay)
      : scenario(planned),
        run(ofRun),
        prediction(predicted),
        times(run.cover->facets.get<ir::TimedFacet>()->kernels),
        replayed(replay),
        iterations(static_cast<double>(std::max<int64_t>(run.iterations, 1))),
        pathNs(predicted.pathNs / iterations),
        pathRatio(quotient(predicted.pathNs, predicted.busyNs)) {
    const double busyTotal = replay ? static_cast<double>(replay->busyNs) : predicted.busyNs;
    busyNs = busyTotal / iterations;
    speedup = quotient(static_cast<double>(run.busyNs), busyTotal);
    if (replay && replay->windowNs) windowNs = static_cast<double>(*replay->windowNs) / iterations;
    const std::optional<double> wallTotal = replay ? static_cast<double>(replay->wallNs) : predicted.wallNs;
    if (!wallTotal || !run.wallNs) return;
    wallNs = *wallTotal / iterations;
    speedupWall = quotient(static_cast<double>(*run.wallNs), *wallTotal);
  }

  std::string_view model() const { return replayed ? "replay" : "idle-constant"; }
  std::string_view caution() const { return replayed ? text(replayed->caution) : std::string_view(); }
};

/// Of each scenario the model that keeps idle time, unless only a replay tells what the scenario changes, and then the
/// replay.
std::vector<WhatIf> whatIfRows(const ReportRun& run) {
  std::vector<WhatIf> rows;
  const auto* facts = run.cover->facets.get<ir::ScenariosFacet>();
  if (facts == nullptr) return rows;
  const auto* replayed = run.facts<ReplayedScenarios>();
  for (size_t i = 0; i < facts->predictions.size(); ++i) {
    const ir::Prediction& prediction = facts->predictions[i];
    const ir::Scenario& scenario = run.module->scenarios[i];
    if (!ir::isReplayOnly(scenario)) rows.emplace_back(run, scenario, prediction, nullptr);
    if (replayed != nullptr && i < replayed->predictions.size() && replayed->predictions[i].isKnown)
      rows.emplace_back(run, scenario, prediction, &replayed->predictions[i]);
  }
  return rows;
}

struct ChangedKernel {
  ir::KernelId id;
  const Rational& factor;
  double durationNs;
};

constexpr auto kChangedKernelFields = fields(
    field<&ChangedKernel::id>("id", ""),
    field("factor", "new / old time, a fraction", [](const ChangedKernel& row) { return row.factor.toString(); }),
    field("duration_ns", "predicted, per iteration",
          [](const ChangedKernel& row) { return PredictedNs{row.durationNs}; }));

constexpr auto kPredictedPathFields =
    fields(field("duration_ns", "", [](const WhatIf& row) { return PredictedNs{row.pathNs}; }),
           field<&WhatIf::pathRatio>("ratio", "of the busy time that keeps idle time"),
           field("kernels", "ids from the start", [](const WhatIf& row) { return row.prediction.path; }));

constexpr auto kWhatIfFields = fields(
    field("name", "of the scenario", [](const WhatIf& row) { return row.prediction.scenario; }),
    field("wall_model", "idle time stays, or the run is replayed from its calls; null: wall is unknown",
          [](const WhatIf& row) { return row.wallNs ? std::optional(WallModelName{row.model()}) : std::nullopt; }),
    field("busy_ns", "predicted, per iteration", [](const WhatIf& row) { return PredictedNs{row.busyNs}; }),
    field("wall_ns", "predicted, per iteration",
          [](const WhatIf& row) { return row.wallNs ? std::optional(PredictedNs{*row.wallNs}) : std::nullopt; }),
    field("window_ns", "predicted, per iteration; null if it is unknown, and where idle time stays",
          [](const WhatIf& row) { return row.windowNs ? std::optional(PredictedNs{*row.windowNs}) : std::nullopt; }),
    field<&WhatIf::speedup>("speedup", "measured over predicted busy; null: infinite"),
    field<&WhatIf::speedupWall>("speedup_wall", "measured over predicted wall; null: infinite, or wall is unknown"),
    field("caution", "why the prediction is worth little; null: no reason",
          [](const WhatIf& row) { return nonEmpty(row.caution()); }),
    field("assumes", "what it rests on, besides what every prediction does",
          [](const WhatIf& row) { return assumptionsOf(row.scenario, row.run); }),
    objects<kChangedKernelFields>(
        "kernels", "those with a new time",
        [](const WhatIf& row) {
          std::vector<ChangedKernel> rows;
          for (const auto& [id, factor] : row.prediction.factors)
            rows.push_back(
                {id, factor, static_cast<double>(row.times[id].totalNs) * factor.toDouble() / row.iterations});
          return rows;
        }),
    object<kPredictedPathFields>("critical_path", "of the kernels, with the new times",
                                 [](const WhatIf& row) { return &row; }));

constexpr auto kWhatIfRunFields = fields(objects<kWhatIfFields>(
    "what_if", "predictions; null without speed-ups", [](const ReportRun& run) -> std::optional<std::vector<WhatIf>> {
      const auto* facts = run.cover->facets.get<ir::ScenariosFacet>();
      if (facts == nullptr || facts->predictions.empty()) return std::nullopt;
      return whatIfRows(run);
    }));

/// The factor is unknown for a run that took no time.
std::string speedupText(int64_t measuredNs, const std::optional<double>& speedup) {
  return measuredNs == 0 ? "-" : times(speedup);
}

/// Nanoseconds with fractions as microseconds, three decimals.
std::string microseconds(double ns) { return fmt::format("{:.3f}", ns / 1000); }

/// The replay comes first: the other model promises gains that a run limited by its host does not have.
std::vector<WhatIf> replayFirst(std::vector<WhatIf> rows) {
  std::vector<WhatIf> out;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool isPair = i + 1 < rows.size() && rows[i].replayed == nullptr && rows[i + 1].replayed != nullptr &&
                        &rows[i].prediction == &rows[i + 1].prediction;
    if (isPair) out.push_back(rows[i + 1]);
    out.push_back(rows[i]);
    i += isPair;
  }
  return out;
}

/// One line per scenario and model, always of this form, so that it can be found with grep.
std::string whatIfDetails(const ReportRun& run) {
  std::string text;
  const std::vector<WhatIf> rows = replayFirst(whatIfRows(run));
  for (const WhatIf& row : rows) {
    const std::string wall = row.wallNs
                                 ? fmt::format("wall {} -> {} us ({}, {})", formatUs(run.perIteration(*run.wallNs)),
                                               microseconds(*row.wallNs), speedupText(*run.wallNs, row.speedupWall),
                                               row.replayed ? "replayed" : "idle kept")
                                 : "wall unknown";
    std::string rest;
    if (row.windowNs) rest += fmt::format(", window {} us", microseconds(*row.windowNs));
    if (!row.replayed) rest += fmt::format(", path {} us", microseconds(row.pathNs));
    rest += fmt::format(", {} changed", plural(row.prediction.factors.size(), "kernel"));
    if (!row.caution().empty()) rest += fmt::format("; {}", row.caution());
    text += fmt::format("what-if `{}`: busy {} -> {} us ({}), {}{}\n", printable(row.prediction.scenario),
                        formatUs(run.perIteration(run.busyNs)), microseconds(row.busyNs),
                        speedupText(run.busyNs, row.speedup), wall, rest);
    const bool isLastOfScenario = &row == &rows.back() || (&row + 1)->prediction.scenario != row.prediction.scenario;
    if (!isLastOfScenario) continue;
    for (const std::string_view assumption : assumptionsOf(row.scenario, row.run))
      text += fmt::format("  assumes that {}\n", assumption);
  }
  return text;
}

}  // namespace

constinit const ReportSection kWhatIfSection{.runFields = kWhatIfRunFields, .details = whatIfDetails};

}  // namespace amdahlc
