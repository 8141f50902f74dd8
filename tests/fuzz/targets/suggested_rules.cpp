/// Traces of any format on a small model with few rules: what is suggested for the rest can be read as rules.
#include "grammar/rule_loader.h"
#include "modules.h"
#include "runs/trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

/// Most operators of the model have none.
ir::RuleSet fewRules() {
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "the rules cannot be read");
  return std::move(*grammar::loadRuleText("few.akp", R"(akp 1;
views { Transpose }
kernel relu : activation { match -> Relu(_); runs as { /./+ } for op "aten::relu" | "Relu"; }
kernel add : elementwise { match -> Add(_, _); runs as { /./+ } for op "aten::add" | "Add"; }
)",
                                          sources, reading));
}

void fuzzSuggestedRules(std::string_view input, Run& run) {
  static const std::string model = groupedBlock(fewRules());
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

const Registration kSuggestedRules(
    {.name = "suggested_rules", .fuzzOne = fuzzSuggestedRules, .mutate = mutateJson, .mutations = 25, .everySeed = 16});

}  // namespace
}  // namespace amdahlc::fuzz
