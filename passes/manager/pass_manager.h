/// Runs a pipeline on a module.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/instrumentation.h"
#include "passes/manager/pipeline.h"
#include "passes/manager/remarks.h"

namespace amdahlc {

/// What passes see of the command: where text goes that is not an output, and how wide and colourful outputs may be.
struct PassEnvironment {
  RemarkFilter remarks;
  /// Passes whose debug text is wanted.
  std::vector<std::string> debugOnly;
  /// Takes `pass: text` without a line end.
  std::function<void(std::string_view)> debugLine;
  /// Takes text that passes print beside the outputs.
  std::function<void(std::string_view)> dump;
  std::function<void(std::string_view what, double fraction)> progress;
  bool color = false;
  unsigned terminalColumns = 0;
};

class PassManager {
 public:
  explicit PassManager(PassEnvironment environment) : environment_(std::move(environment)) {}

  /// Not owned. The last one added is nearest to the pass: called last before it and first after it.
  void add(PassInstrumentation& instrumentation) { instrumentation_.push_back(&instrumentation); }
  /// Runs the passes until one fails; outputs are appended to `artifacts`. Facets must have been checked. What a pass
  /// throws is passed on after instrumentation has seen the failure.
  bool run(Pipeline& pipeline, ir::Module& module, DiagnosticEngine& diagnostics, std::vector<Artifact>& artifacts);

 private:
  /// Runs a pass inside its instrumentation; false when the pipeline must stop.
  bool runOne(Pass& pass, const PassRun& passRun, ir::Module& module, AnalysisManager& analyses, PassContext& context);

  PassEnvironment environment_;
  std::vector<PassInstrumentation*> instrumentation_;
};

}  // namespace amdahlc
