/// The pass `timing`: stores the measured times of every bound cover as facets.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

class TimingPass : public Pass {
 public:
  TimingPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& timedKernels_;
  int64_t& runs_;
};

}  // namespace amdahlc
