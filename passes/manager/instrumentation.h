/// What may happen around passes: printing, verifying, timing. Each kind is a class of its own; the manager only calls
/// them.
#pragma once

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"

namespace amdahlc {

/// One pass at work, as instrumentation sees it.
struct PassRun {
  const PassInfo& info;
  const Pass& pass;
  const ir::Module& module;
  const AnalysisManager& analyses;
};

/// After `beforePass` exactly one of `afterPass` and `afterPassFailed` follows, so that what was begun is always ended.
class PassInstrumentation {
 public:
  virtual ~PassInstrumentation() = default;
  virtual void beforePass(const PassRun&) {}
  /// Analyses that the pass does not preserve are dropped already. False stops the pipeline; whoever returns it has
  /// reported why.
  virtual bool afterPass(const PassRun&, const PassResult&) { return true; }
  /// The pass failed, reported an error, or threw; or instrumentation nearer to the pass stopped the pipeline. The
  /// module may be invalid.
  virtual void afterPassFailed(const PassRun&) {}
  virtual void beforeAnalysis(const char* /*name*/) {}
  /// Also after an analysis that threw.
  virtual void afterAnalysis(const char* /*name*/) {}
};

}  // namespace amdahlc
