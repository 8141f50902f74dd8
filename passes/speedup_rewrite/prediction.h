/// Predicts the times of a run under scenarios.
#pragma once

#include <optional>
#include <vector>

#include "passes/speedup_rewrite/scenario_resolution.h"
#include "replay/schedule/prediction.h"

namespace amdahlc {

/// All predictions of a run come from here: of scenarios, curves, goals and advice.
class RunPredictor {
 public:
  /// The module, and what the run refers to, must outlive it. Precondition: the cover is timed.
  RunPredictor(const ir::Module& module, const PredictedRun& run);

  /// Without the factors of events it predicts from what is given to it by event.
  const schedule::Predictor& times() const { return times_; }
  /// By event; kUnboundOwner also for events that are not selected.
  const std::vector<ir::KernelId>& owners() const { return owners_; }
  /// nullopt if a time could exceed `limits::kTimeNs`.
  std::optional<schedule::PredictedTimes> predict(const RunChanges& scenario) const;

 private:
  std::vector<ir::KernelId> owners_;
  schedule::Predictor times_;
};

}  // namespace amdahlc
