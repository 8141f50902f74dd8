/// Changes that may help a run: each a scenario with the reason for it.
#pragma once

#include <string>
#include <vector>

#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

struct AdviceCandidate {
  std::string selector, change, why, assumption;
  std::vector<ir::Change> changes;
};

struct AdviceCandidates {
  std::vector<AdviceCandidate> candidates;
  /// What cannot get faster, and what is not known.
  std::vector<std::string> notes;
};

/// Those of one run, in a fixed order: launches as a graph, copies beside other work, kernels of each label at their
/// roofs, kernels that a rule or a compiler could fuse. Precondition: the cover is timed.
AdviceCandidates adviceCandidates(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run);

}  // namespace amdahlc
