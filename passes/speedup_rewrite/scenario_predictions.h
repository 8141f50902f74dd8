/// The analyses `run-predictor`, which predicts the times of a run under scenarios, and `scenario-predictions`: the
/// scenarios of the module, each resolved once, and predicted once for each run. The pass `speedup-rewrite` asks for
/// it; whatever shows a prediction reads it here.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/manager/analysis.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "replay/schedule/prediction.h"

namespace amdahlc {

/// All predictions of a run come from here: of scenarios, curves, goals and advice.
class RunPredictor {
 public:
  static constexpr const char* kName = "run-predictor";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  RunPredictor(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// Without the factors of events it predicts from what is given to it by event.
  const schedule::Predictor& times() const { return times_; }
  /// What the events and kernels are; the owner is kUnboundOwner also for events that are not selected.
  const ScenarioRun& run() const { return kernels_; }
  const EventKeys& events() const { return kernels_.events; }
  /// A scenario that changes nothing.
  RunChanges noChanges() const { return {DeviceFactors(kernels_.kernelNs.size())}; }
  /// With `keepsIdle` by arithmetic, also of a run that it replays. nullopt if a time could exceed `limits::kTimeNs`.
  std::optional<schedule::PredictedTimes> predict(const RunChanges& scenario, bool keepsIdle = false) const;
  /// Whether both predict alike, as far as the measured run and its replay tell.
  friend bool operator==(const RunPredictor& a, const RunPredictor& b) {
    return a.kernels_ == b.kernels_ && a.times_ == b.times_;
  }

 private:
  RunPredictor(const ir::Module& module, const PredictedRun& run, std::vector<Rational> undisturbed);

  /// Of an analysis that this one was computed from, so that it is there for as long.
  const ScenarioRun& kernels_;
  schedule::Predictor times_;
};

struct Prediction {
  std::string scenario;
  /// Why the run is not replayed; nullopt if it is.
  std::optional<Absence> noReplay;
  /// What it rests on, besides what every prediction does; each once, as clauses.
  std::vector<std::string_view> assumptions;
  /// What the prediction started from, and what it predicts.
  schedule::PredictedTimes base, times;
  /// (kernel, new time / old time), ascending; without kernels that keep their time.
  std::vector<std::pair<ir::KernelId, Rational>> factors;
  /// The critical path of the kernels with the new times; its time is that of the reported iterations.
  double pathNs = 0;
  std::vector<ir::KernelId> path;

  /// The new time of a kernel that takes `ns`; nullopt if it keeps its time.
  std::optional<double> newNs(ir::KernelId kernel, double ns) const;
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// What a prediction of the change in the run rests on, besides what every prediction does, as a clause; empty if
/// nothing.
std::string_view assumptionOf(const ir::Change& change, const PredictedRun& run);

/// `changes` are those of the scenario in the run. nullopt if a time could exceed `limits::kTimeNs`.
std::optional<Prediction> predict(const ir::Module& module, const PredictedRun& run, const RunPredictor& predictor,
                                  const ir::Scenario& scenario, const RunChanges& changes);

/// What is known of the scenarios in one run.
struct RunPredictions {
  /// In the order of scenarios. One of which only a replay could tell all has none in a run without one, nor has one
  /// that could take too long.
  std::vector<Prediction> predictions;
  /// The scenarios that could exceed `limits::kTimeNs`.
  std::vector<std::string> tooLong;
  /// The scenarios of which only a replay could tell all, and why there is none.
  std::vector<std::pair<std::string, Absence>> onlyReplayed;
  friend bool operator==(const RunPredictions&, const RunPredictions&) = default;
};

struct ScenarioPredictions {
  static constexpr const char* kName = "scenario-predictions";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  using Options = WantedMessages;
  /// Of the scenarios of the module.
  ScenarioPredictions(const ir::Module& module, AnalysisManager& analyses)
      : ScenarioPredictions(module, module.scenarios, analyses) {}
  ScenarioPredictions(const ir::Module& module, std::span<const ir::Scenario> scenarios, AnalysisManager& analyses);

  /// Reports what was found out about the scenarios. False after an error: then not all are predicted.
  bool tell(const ir::Module& module, PassContext& context) const;

  /// Of each run with kernel times.
  std::map<ir::CoverId, RunPredictions> runs;
  friend bool operator==(const ScenarioPredictions& a, const ScenarioPredictions& b) { return a.runs == b.runs; }

 private:
  /// Of all resolutions.
  std::vector<Diagnostic> messages_;
  bool areResolved_ = true;
};

/// What is known of the scenarios in a run; null if no pass asked for it, or if the run has no kernel times.
const RunPredictions* findPredictions(AnalysisManager& analyses, ir::CoverId run);
/// The predictions of a run; empty where `findPredictions` finds nothing.
std::span<const Prediction> predictionsOf(AnalysisManager& analyses, ir::CoverId run);

}  // namespace amdahlc
