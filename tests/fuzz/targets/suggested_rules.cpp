/// Traces of any format on a small model with few rules: what is suggested for the rest can be read as rules.
#include "grammar/rule_loader.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"
#include "modules.h"
#include "trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

/// The IR text of the grouped model, in which most operators have no rule.
std::string groupedBlock() {
  Run run;
  DiagnosticEngine reading = noErrors(run.sources, "the model or its rules cannot be read");
  const BufferId buffer = run.sources.add("block.onnxtxt", projectFile("tests/fuzz/models/block.onnxtxt"));
  ir::Module module = std::move(*ir::importOnnxText(buffer, run.sources, {}, reading));
  module.rules = std::move(*grammar::loadRuleText("few.akp", R"(akp 1;
views { Transpose }
kernel relu : activation { match -> Relu(_); runs as { /./+ } for op "aten::relu" | "Relu"; }
kernel add : elementwise { match -> Add(_, _); runs as { /./+ } for op "aten::add" | "Add"; }
)",
                                                  run.sources, reading));
  runPasses("simplify,fuse", module, run);
  return ir::print(module);
}

}  // namespace

void fuzzOne(std::string_view input, Run& run) {
  static const std::string model = groupedBlock();
  auto timeline = trace::readTraceBytes(input, "trace.json", {"run", selectionFor(input)}, run.diagnostics);
  if (!timeline) return;
  ir::Module module = parsed(model);
  module.addRun(std::move(*timeline));
  module.target = module.timelines.front().target;
  for (const Artifact& artifact : runPasses("trace-bind,suggest-rules,emit<output=suggested-rules>", module, run)) {
    DiagnosticEngine reading = noErrors(run.sources, "suggested rules cannot be read");
    grammar::loadRuleText("suggested.akp", artifact.bytes, run.sources, reading);
  }
}

}  // namespace amdahlc::fuzz
