/// `-verify-each` and `-verify-analyses`: what passes claim is checked against what they did.
#pragma once

#include <string>

#include "passes/manager/instrumentation.h"

namespace amdahlc {

/// The IR verifier after each pass, and that a pass which says `unchanged` changed nothing.
class IrVerifying : public PassInstrumentation {
 public:
  explicit IrVerifying(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  void beforePass(const PassRun& run) override;
  bool afterPass(const PassRun& run, const PassResult& result) override;

 private:
  DiagnosticEngine& diagnostics_;
  std::string textBefore_;
};

/// After each pass, every analysis that is still cached equals one that is computed anew.
class AnalysisVerifying : public PassInstrumentation {
 public:
  explicit AnalysisVerifying(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  bool afterPass(const PassRun& run, const PassResult& result) override;

 private:
  DiagnosticEngine& diagnostics_;
};

}  // namespace amdahlc
