/// The pass `print`: `print` shows the IR, `print<NAME>` what the analysis of that name believes.
#pragma once

#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

class PrintPass : public Pass {
 public:
  PassResult run(ir::Module& module, PassContext& context) override;
  /// One flag for each analysis that a pass can print.
  void completeOptions(const PassRegistry& registry) override;

 private:
  /// In the order of asking.
  std::vector<AnalysisPrinter> wanted_;
};

}  // namespace amdahlc
