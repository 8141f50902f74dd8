/// The analysis `liveness`: the liveness of tensors of a cover, from the events of its run if it has one, and what
/// could free memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/liveness/liveness.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

/// Linear in the operators, values and uses of the module, but for the order of the schedule and of the candidates. The
/// pass `liveness` shows it.
struct LivenessAnalysis {
  static constexpr const char* kName = "liveness";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  struct Options {
    /// Of the way to the memory that tensors are moved to. The default is what PCI Express 3.0 x16 carries in practice
    /// of its 15.75 GB/s: the slowest way from a GPU to the memory of its host that is common, so that what is worth
    /// moving here is worth it on any other.
    int64_t offloadBytesPerS = 12'000'000'000;
    friend bool operator==(const Options&, const Options&) = default;
  };
  LivenessAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  Liveness liveness;
  /// As in the options.
  int64_t bytesPerS;
  /// Of the run; 1 without one.
  int64_t iterations;
  /// Empty without times.
  std::vector<Candidate> offload, recompute;

  friend bool operator==(const LivenessAnalysis&, const LivenessAnalysis&) = default;
};

/// The name of a value in its model; of a value in a body, behind the operator and the branch: `loop/body/x`.
std::string tensorName(const ir::Module& module, ir::ValueId value);

}  // namespace amdahlc
