/// The pass `print`: `print` shows the IR, `print<critical-path>` what that analysis believes.
#pragma once

#include <cstddef>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

class PrintPass : public Pass {
 public:
  PrintPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  std::vector<size_t> wanted_;  ///< rows of `analyses.def`, in the order of asking
};

}  // namespace amdahlc
