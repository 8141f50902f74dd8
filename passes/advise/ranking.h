/// Which of many changes saves most, which then, and so on.
#pragma once

#include <optional>
#include <vector>

#include "passes/advise/advice_facet.h"
#include "passes/advise/candidates.h"
#include "passes/manager/pass.h"

namespace amdahlc {

/// A change that saves less of the wall time that is left is not told.
inline constexpr double kLeastSaving = 0.01;
/// The longest list.
inline constexpr size_t kMostAdvice = 6;

/// Predicts candidates alone, and then on top of the best ones. The number of predictions is bounded by the size of the
/// run: of a large one, the order is that of the changes by themselves.
void rankAdvice(const ir::Module& module, const PredictedRun& run, AdviceCandidates candidates, PassContext& context,
                AdviceFacet& facet);

}  // namespace amdahlc
