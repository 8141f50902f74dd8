/// The pass `fuse`: groups operators into the kernels that rules describe.
#pragma once

#include "passes/fuse/matcher.h"
#include "passes/manager/pass.h"

namespace amdahlc {

class FusePass : public Pass {
 public:
  FusePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t maxMatchesPerRoot_ = MatchLimits{}.matchesPerRoot;
  int64_t maxStepsPerRoot_ = MatchLimits{}.stepsPerRoot;
  int64_t& attempts_;
  int64_t& steps_;
  int64_t& candidates_;
  int64_t& kernels_;
  int64_t& covered_;
  int64_t& truncatedRoots_;
};

}  // namespace amdahlc
