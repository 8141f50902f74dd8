/// Traces of any format on a small model with the rules that ship: all passes and outputs.
#include "grammar/rule_loader.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"
#include "modules.h"
#include "trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

/// The IR text of the grouped model: grouping does not depend on the trace, and takes longer than what follows.
std::string groupedBlock() {
  Run run;
  DiagnosticEngine reading = noErrors(run.sources, "the model or its rules cannot be read");
  const BufferId buffer = run.sources.add("block.onnxtxt", projectFile("tests/fuzz/models/block.onnxtxt"));
  ir::Module module = std::move(*ir::importOnnxText(buffer, run.sources, {}, reading));
  module.rules =
      std::move(*grammar::loadRules({{AMDAHLC_SOURCE_DIR "/rules/pytorch.akp", {}}}, {}, run.sources, reading));
  runPasses("simplify,fuse", module, run);
  return ir::print(module);
}

}  // namespace

void fuzzOne(std::string_view input, Run& run) {
  static const std::string model = groupedBlock();
  auto timeline = trace::readTraceBytes(input, "trace.json", {"run", selectionFor(input)}, run.diagnostics);
  if (!timeline) return;
  ir::Module module = parsed(model);
  analyse(module, std::move(*timeline), run);
}

}  // namespace amdahlc::fuzz
