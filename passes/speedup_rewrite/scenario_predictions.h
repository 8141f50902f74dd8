/// The analyses `run-predictor`, which predicts the times of a run under scenarios, and `scenario-predictions`: the
/// scenarios of the module, each predicted once for a run. The pass `speedup-rewrite` asks for it; whatever shows a
/// prediction reads it here.
#pragma once

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
  /// The module, and what the run refers to, must outlive it. Precondition: the cover is timed.
  RunPredictor(const ir::Module& module, const PredictedRun& run);

  /// Without the factors of events it predicts from what is given to it by event.
  const schedule::Predictor& times() const { return times_; }
  /// By event; kUnboundOwner also for events that are not selected.
  const std::vector<ir::KernelId>& owners() const { return owners_; }
  /// A scenario that changes nothing.
  RunChanges noChanges() const { return {DeviceFactors(kernels_)}; }
  /// nullopt if a time could exceed `limits::kTimeNs`.
  std::optional<schedule::PredictedTimes> predict(const RunChanges& scenario) const;
  /// Whether both predict alike, as far as the measured run and its replay tell.
  friend bool operator==(const RunPredictor& a, const RunPredictor& b) {
    return a.kernels_ == b.kernels_ && a.owners_ == b.owners_ && a.times_ == b.times_;
  }

 private:
  size_t kernels_;
  std::vector<ir::KernelId> owners_;
  schedule::Predictor times_;
};

struct Prediction {
  std::string scenario;
  /// Why the run is not replayed; nullopt if it is.
  std::optional<Absence> noReplay;
  schedule::PredictedTimes times;
  /// (kernel, new time / old time), ascending; without kernels that keep their time.
  std::vector<std::pair<ir::KernelId, Rational>> factors;
  /// The critical path of the kernels with the new times; its time is a total over the selected iterations.
  double pathNs = 0;
  std::vector<ir::KernelId> path;

  /// The new time of a kernel that takes `ns`; nullopt if it keeps its time.
  std::optional<double> newNs(ir::KernelId kernel, double ns) const;
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// Without its name. nullopt if a time could exceed `limits::kTimeNs`.
std::optional<Prediction> predict(const ir::Module& module, const PredictedRun& run, const RunPredictor& predictor,
                                  const RunChanges& scenario);

/// What the predictions of a scenario rest on in a run, besides what those of all do; each once, as clauses. `roofline`
/// is null without roofs.
std::vector<std::string_view> assumptionsOf(const ir::Scenario& scenario, const RooflineAnalysis* roofline);

struct ScenarioPredictions {
  static constexpr const char* kName = "scenario-predictions";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  ScenarioPredictions(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// In the order of scenarios. One of which only a replay could tell all has none in a run without one, nor has one
  /// that could take too long.
  std::vector<Prediction> predictions;
  /// The scenarios that could exceed `limits::kTimeNs`.
  std::vector<std::string> tooLong;
  /// The scenarios of which only a replay could tell all, and why there is none.
  std::vector<std::pair<std::string, Absence>> onlyReplayed;
  friend bool operator==(const ScenarioPredictions&, const ScenarioPredictions&) = default;
};

/// Warns of each scenario that has no prediction because it could take too long.
void reportTooLong(std::string_view run, const ScenarioPredictions& predictions, DiagnosticEngine& diagnostics);

/// Of a run those that were asked for; empty if none were.
std::span<const Prediction> predictionsOf(AnalysisManager& analyses, ir::CoverId run);

}  // namespace amdahlc
