/// The pass `suggest-rules`: rules for device time that no rule explains. It changes nothing.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

class SuggestRulesPass : public Pass {
 public:
  SuggestRulesPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& trials_;
  int64_t& suggested_;
};

}  // namespace amdahlc
