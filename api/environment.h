/// What surrounds an analysis: where text that is not an output goes, and who watches it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "passes/manager/instrumentation.h"
#include "report/outputs/output.h"

namespace amdahlc::api {

/// All functions may be empty. They are called by the thread that runs the analysis. An exception of `progress` ends
/// the analysis and reaches its caller: that is how an analysis is cancelled.
struct Environment {
  /// Of outputs for people.
  TextStyle style;
  /// Receives the dumps of passes.
  std::function<void(std::string_view)> dump;
  /// Receives `pass: text` without a line end.
  std::function<void(std::string_view)> debugLine;
  /// Called before each piece of work, and often while it goes on. `fraction` is below 0 if unknown.
  std::function<void(std::string_view what, double fraction)> progress;
  /// Called after work outside of passes: reading inputs.
  std::function<void(const char* phase, int64_t elapsedNs)> phaseDone;
  /// Around the passes, the outermost first. Not owned.
  std::vector<PassInstrumentation*> instrumentation;
};

}  // namespace amdahlc::api
