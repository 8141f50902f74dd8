/// Predicts candidates for advice, and ranks them.
#pragma once

#include <vector>

#include "passes/advise/advice_analysis.h"
#include "passes/advise/finders.h"

namespace amdahlc {

/// Fills in all of `facts` but notes of the finders, and adds notes of its own.
void rank(const ir::Module& module, const PredictedRun& run, AnalysisManager& analyses,
          std::vector<AdviceCandidate> candidates, AdviceAnalysis& facts);

}  // namespace amdahlc
