/// `-verify-each`: checks the results that passes return against what they did.
#pragma once

#include <string>

#include "passes/manager/instrumentation.h"

namespace amdahlc {

/// Runs the IR verifier after each pass, and checks that a pass that returned `unchanged` changed nothing.
class IrVerifying : public PassInstrumentation {
 public:
  explicit IrVerifying(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  void beforePass(const PassRun& run) override;
  bool afterPass(const PassRun& run, const PassResult& result) override;

 private:
  DiagnosticEngine& diagnostics_;
  std::string textBefore_;
};

/// Checks after each pass that every cached analysis equals a recomputed one.
class AnalysisVerifying : public PassInstrumentation {
 public:
  explicit AnalysisVerifying(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  bool afterPass(const PassRun& run, const PassResult& result) override;

 private:
  DiagnosticEngine& diagnostics_;
};

}  // namespace amdahlc
