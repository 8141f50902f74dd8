/// The pass `critical-path`: longest path, slack and branch totals of every timed cover.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

class CriticalPathPass : public Pass {
 public:
  CriticalPathPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& pathKernels_;
  int64_t& joins_;
};

}  // namespace amdahlc
