/// The pass `speedup-rewrite`: resolves scenarios to kernels and predicts their effect.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

class SpeedupRewritePass : public Pass {
 public:
  SpeedupRewritePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& changedKernels_;
  int64_t& predictions_;
};

}  // namespace amdahlc
