/// Binary ONNX models: what is imported keeps the invariants, and its text can be read.
#include "ir/onnx_import/onnx_import.h"
#include "modules.h"

namespace amdahlc::fuzz {
namespace {

void fuzzOnnxBinary(std::string_view input, Run& run) {
  const auto module = ir::importOnnx(input, "model.onnx", {}, run.diagnostics);
  require(module.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (module) requireRoundTrip(*module, run);
}

const Registration kOnnxBinary(
    {.name = "onnx_binary", .fuzzOne = fuzzOnnxBinary, .mutate = mutateModel, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
