/// `-verify-each`: the IR verifier after each pass, and that a pass which says `unchanged` changed nothing.
#pragma once

#include <string>

#include "passes/manager/instrumentation.h"

namespace amdahlc {

class Verifying : public PassInstrumentation {
 public:
  explicit Verifying(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  void beforePass(const PassInfo& info, const ir::Module& module) override;
  bool afterPass(const PassInfo& info, const Pass& pass, const ir::Module& module, const PassResult& result) override;

 private:
  DiagnosticEngine& diagnostics_;
  std::string textBefore_;
};

}  // namespace amdahlc
