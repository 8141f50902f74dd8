/// The pass `print`: `print` prints the IR, `print<NAME>` the analysis of that name.
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
  /// In the order of the options.
  std::vector<AnalysisPrinter> wanted_;
};

}  // namespace amdahlc
