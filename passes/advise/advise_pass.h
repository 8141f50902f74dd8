/// The pass `advise`: ranks changes by the wall time that they save.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

class AdvisePass : public Pass {
 public:
  AdvisePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& candidates_;
};

}  // namespace amdahlc
