/// Predicts candidates for advice, and ranks them.
#pragma once

#include <vector>

#include "passes/advise/advice_analysis.h"
#include "passes/advise/finders.h"
#include "passes/speedup_rewrite/scenario_predictions.h"

namespace amdahlc {

/// What is predicted, as advice counts it.
inline AdvisedTimes advisedTimes(const schedule::PredictedTimes& times) { return {times.limitNs(), times.windowNs}; }

/// Fills in all of `facts` but its base and notes of the finders, and adds notes of its own.
void rank(const ir::Module& module, const PredictedRun& run, AnalysisManager& analyses,
          std::vector<AdviceCandidate> candidates, AdviceAnalysis& facts);

}  // namespace amdahlc
