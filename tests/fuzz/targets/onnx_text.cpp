/// ONNX text: what is imported keeps the invariants, and its text can be read.
#include "ir/onnx_import/onnx_import.h"
#include "modules.h"

namespace amdahlc::fuzz {

void fuzzOne(std::string_view input, Run& run) {
  const BufferId buffer = run.sources.add("model.onnxtxt", std::string(input));
  const auto module = ir::importOnnxText(buffer, run.sources, {}, run.diagnostics);
  require(module.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (module) requireRoundTrip(*module, run);
}

}  // namespace amdahlc::fuzz
