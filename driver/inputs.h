/// Reads models, rules and traces, all before the first pass.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/settings.h"
#include "ir/module.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reads an ONNX model, ONNX text or IR text: by the ending of its name, else by its content.
std::optional<ir::Module> loadModel(const InputArgument& input, const Settings& settings, SourceManager& sources,
                                    DiagnosticEngine& diagnostics);

/// A run, its first file, and the option that gives it.
struct LoadedTrace {
  Timeline timeline;
  SourceRange range;
};

/// Reads the traces in order. If all devices of a trace are wanted and it has several, `.devN` for device N follows the
/// label; a label of another run is an error.
std::optional<std::vector<LoadedTrace>> loadTraces(std::span<const TraceArgument> traces, const Settings& settings,
                                                   DiagnosticEngine& diagnostics);

/// Names of the shipped libraries, sorted.
std::vector<std::string> shippedLibraries();

/// Reports a run that is not bound yet if no rule of the module, which came with its IR text, is for its runtime.
bool haveRulesForRuns(const ir::Module& module, DiagnosticEngine& diagnostics);

/// The rules that `-rules=` names, or the library of the target's runtime. `shipped` gets the buffers of libraries that
/// are named without their path.
std::optional<ir::RuleSet> loadRuleSet(const Settings& settings, const ir::Module* module, SourceManager& sources,
                                       DiagnosticEngine& diagnostics, std::set<BufferId>* shipped = nullptr);

}  // namespace amdahlc::driver
