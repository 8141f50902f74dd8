/// Reads models, rules and traces, all before the first pass.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "api/request.h"
#include "ir/module.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Reads the model of the request: ONNX, ONNX text or IR text, by the ending of its name, else by its content.
std::optional<ir::Module> loadModel(const Request& request, SourceManager& sources, DiagnosticEngine& diagnostics);

/// A run, its first file, and the option that gives it.
struct LoadedTrace {
  Timeline timeline;
  SourceRange range;
};

/// Reads the traces of the request in order. If all devices of a trace are wanted and it has several, `.devN` for
/// device N follows the label; a label of another run is an error.
std::optional<std::vector<LoadedTrace>> loadTraces(const Request& request, DiagnosticEngine& diagnostics);

/// Reports a run that is not bound yet if no rule of the module, which came with its IR text, is for its runtime.
bool haveRulesForRuns(const ir::Module& module, DiagnosticEngine& diagnostics);

/// The rules that `-rules=` names, or the library of the target's runtime. `shipped` gets the buffers of libraries
/// that are named without their path.
std::optional<ir::RuleSet> loadRuleSet(const Request& request, const ir::Module* module, SourceManager& sources,
                                       DiagnosticEngine& diagnostics, std::set<BufferId>* shipped = nullptr);

}  // namespace amdahlc::api
