/// Binary ONNX models: what is imported keeps the invariants, and its text can be read.
#include "ir/onnx_import/onnx_import.h"
#include "modules.h"

namespace amdahlc::fuzz {

void fuzzOne(std::string_view input, Run& run) {
  const auto module = ir::importOnnx(input, "model.onnx", {}, run.diagnostics);
  require(module.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (module) requireRoundTrip(*module, run);
}

}  // namespace amdahlc::fuzz
