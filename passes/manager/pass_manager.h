/// Runs a pipeline on a module.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/instrumentation.h"
#include "passes/manager/pipeline.h"
#include "passes/manager/remarks.h"

namespace amdahlc {

/// The environment that the command gives to passes. `explain` may be empty: then `dump` receives explanations.
struct PassEnvironment : PassServices {
  RemarkFilter remarks;
  /// Passes with requested debug text.
  std::vector<std::string> debugOnly;
  /// Receives `pass: text` without a line end.
  std::function<void(std::string_view)> debugLine;
};

class PassManager {
 public:
  explicit PassManager(PassEnvironment environment) : environment_(std::move(environment)) {}

  /// Not owned. The last one added is the innermost: it is called last before a pass and first after it.
  void add(PassInstrumentation& instrumentation) { instrumentation_.push_back(&instrumentation); }
  /// Runs the passes until one fails. If a facet that a pass requires is missing, that is an error. An exception of a
  /// pass is rethrown after instrumentation was told. `analyses` are those of the module; they stay valid.
  bool run(Pipeline& pipeline, ir::Module& module, AnalysisManager& analyses, DiagnosticEngine& diagnostics);

 private:
  /// Runs a pass inside its instrumentation. False if the pipeline must stop.
  bool runOne(PlannedPass& planned, ir::Module& module, PassContext& context);

  PassEnvironment environment_;
  std::vector<PassInstrumentation*> instrumentation_;
};

}  // namespace amdahlc
