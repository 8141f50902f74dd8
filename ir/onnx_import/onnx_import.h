/// Imports ONNX models, binary protobuf and ONNX text, into modules. Inlines functions, checks, and infers shapes with
/// data propagation. Never opens a path that a model names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::ir {

struct OnnxImportOptions {
  /// Symbolic dimensions to fix (`-dim=batch=8`). A name that the model does not use is an error with a suggestion.
  std::map<std::string, int64_t> dims;
};

/// Imports the bytes of a binary model. `file` is the path as given, for messages; the module's `modelName` is its last
/// component.
std::optional<Module> importOnnx(std::string_view bytes, const std::string& file, const OnnxImportOptions& options,
                                 DiagnosticEngine& diagnostics);

/// Imports ONNX's text form (`.onnxtxt`); parse errors are located in the buffer.
std::optional<Module> importOnnxText(BufferId buffer, const SourceManager& sources, const OnnxImportOptions& options,
                                     DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir
