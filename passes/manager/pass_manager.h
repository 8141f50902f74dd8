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
  std::vector<std::string> debugOnly;               ///< passes whose debug text is wanted
  std::function<void(std::string_view)> debugLine;  ///< takes `pass: text` without a line end
  std::function<void(std::string_view)> dump;       ///< text of `print` passes
  std::function<void(std::string_view what, double fraction)> progress;
  bool color = false;
  unsigned terminalColumns = 0;
};

class PassManager {
 public:
  explicit PassManager(PassEnvironment environment) : environment_(std::move(environment)) {}

  /// Not owned. The last one added is nearest to the pass: called last before it and first after it.
  void add(PassInstrumentation& instrumentation) { instrumentation_.push_back(&instrumentation); }
  /// Runs the passes until one fails; outputs are appended to `artifacts`. Facets must have been checked.
  bool run(Pipeline& pipeline, ir::Module& module, DiagnosticEngine& diagnostics, std::vector<Artifact>& artifacts);

 private:
  PassEnvironment environment_;
  std::vector<PassInstrumentation*> instrumentation_;
};

}  // namespace amdahlc
