/// ONNX text: what is imported keeps the invariants, and its text can be read.
#include "ir/onnx_import/onnx_import.h"
#include "modules.h"

namespace amdahlc::fuzz {
namespace {

void fuzzOnnxText(std::string_view input, Run& run) {
  const BufferId buffer = run.sources.add("model.onnxtxt", std::string(input));
  const auto module = ir::importOnnxText(buffer, run.sources, {}, run.diagnostics);
  require(module.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (module) requireRoundTrip(*module, run);
}

const Registration kOnnxText({.name = "onnx_text", .fuzzOne = fuzzOnnxText, .mutate = mutateTokens, .mutations = 2000});

}  // namespace
}  // namespace amdahlc::fuzz
