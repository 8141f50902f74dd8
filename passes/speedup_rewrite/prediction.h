/// The analysis `run-predictor`: predicts the times of a run under scenarios.
#pragma once

#include <optional>
#include <vector>

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

}  // namespace amdahlc
