/// Traces of any format on a small model with the rules that ship: all passes and outputs.
#include "grammar/rule_loader.h"
#include "modules.h"
#include "runs/trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

ir::RuleSet shippedRules() {
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "the rules cannot be read");
  return std::move(*grammar::loadRules({{AMDAHLC_SOURCE_DIR "/rules/pytorch.akp", {}}}, {}, sources, reading));
}

void fuzzTraceOnModel(std::string_view input, Run& run) {
  static const std::string model = groupedBlock(shippedRules());
  auto timeline = trace::readTraceBytes(input, "trace.json", {"run", selectionFor(input)}, run.diagnostics);
  if (!timeline) return;
  ir::Module module = parsed(model);
  analyse(module, std::move(*timeline), run);
}

const Registration kTraceOnModel(
    {.name = "trace_on_model", .fuzzOne = fuzzTraceOnModel, .mutate = mutateJson, .mutations = 100, .everySeed = 8});

}  // namespace
}  // namespace amdahlc::fuzz
