/// The pass `speedup-rewrite`: resolves scenarios to kernels and predicts their effect.
#pragma once

#include <vector>

#include "passes/manager/pass.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/selector.h"

namespace amdahlc {

class SpeedupRewritePass : public Pass {
 public:
  SpeedupRewritePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  bool resolve(const ir::Module& module, const ir::Scenario& scenario, const std::vector<KernelNames>& names,
               std::vector<KernelFactors>& factors, PassContext& context);

  int64_t& changedKernels_;
  int64_t& predictions_;
};

}  // namespace amdahlc
