/// Rules on a small model with a small run: all passes and outputs.
#include "grammar/rule_loader.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"
#include "modules.h"
#include "trace/reader.h"

namespace amdahlc::fuzz {
namespace {

/// The IR text of the model before any pass.
std::string importedBlock() {
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "the model cannot be read");
  const BufferId buffer = sources.add("block.onnxtxt", projectFile("tests/fuzz/models/block.onnxtxt"));
  return ir::print(*ir::importOnnxText(buffer, sources, {}, reading));
}

}  // namespace

void fuzzOne(std::string_view input, Run& run) {
  static const std::string model = importedBlock();
  static const std::string trace = projectFile("tests/fuzz/models/block.trace.json");
  const std::string path = memoryFile(input);
  auto rules = grammar::loadRules({{path, FileLocation{path}}}, {}, run.sources, run.diagnostics);
  if (!rules) return;
  ir::Module module = parsed(model);
  module.rules = std::move(*rules);
  analyse(module, *trace::readTraceBytes(trace, "trace.json", {"run", {}}, run.diagnostics), run);
}

}  // namespace amdahlc::fuzz
