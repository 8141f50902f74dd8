/// Instrumentation around passes: printing, verifying, timing. Each kind is a class of its own. The manager only calls
/// it.
#pragma once

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"

namespace amdahlc {

/// The run of one pass.
struct PassRun {
  const PassInfo& info;
  const Pass& pass;
  const ir::Module& module;
  AnalysisManager& analyses;
};

/// Exactly one of `afterPass` and `afterPassFailed` follows `beforePass`.
class PassInstrumentation {
 public:
  virtual ~PassInstrumentation() = default;
  virtual void beforePass(const PassRun&) {}
  /// Analyses that the pass does not preserve are already dropped. False stops the pipeline; the callee has reported an
  /// error.
  virtual bool afterPass(const PassRun&, const PassResult&) { return true; }
  /// The pass failed, reported an error, or threw, or inner instrumentation stopped the pipeline. The module may be
  /// invalid.
  virtual void afterPassFailed(const PassRun&) {}
  virtual void beforeAnalysis(const char* /*name*/) {}
  /// Called also if the analysis threw.
  virtual void afterAnalysis(const char* /*name*/) {}
};

}  // namespace amdahlc
