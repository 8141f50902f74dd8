/// Models for the tests of the import, written in ONNX's text form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/onnx_import/onnx_import.h"

namespace amdahlc::ir::test {

struct Imported {
  std::optional<Module> module;
  std::vector<Diagnostic> diagnostics;

  const Op& op(size_t index) const { return module->ops[OpId(index)]; }
  std::string text(Symbol symbol) const { return std::string(module->text(symbol)); }
  /// The first value of that name; fails the test if there is none.
  const Value& value(std::string_view name) const {
    for (const Value& value : module->values)
      if (module->text(value.name) == name) return value;
    throw std::out_of_range(std::string(name));
  }
  std::string type(std::string_view name) const { return describe(value(name).type); }
};

inline Imported importText(const std::string& text, const std::map<std::string, int64_t>& dims = {}) {
  Imported result;
  SourceManager sources;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { result.diagnostics.push_back(diagnostic); });
  result.module =
      importOnnxText(sources.add("folder/model.onnxtxt", text), sources, OnnxImportOptions{dims}, diagnostics);
  return result;
}

/// A model of opset 23 with ONNX Runtime's domains.
inline Imported importGraph(const std::string& graph, const std::map<std::string, int64_t>& dims = {}) {
  return importText(
      "<ir_version: 10, opset_import: [\"\": 23, \"com.microsoft\": 1, \"com.microsoft.nchwc\": 1]>\n" + graph, dims);
}

}  // namespace amdahlc::ir::test
