/// Rules on a small model with a small run: all passes and outputs.
#include "grammar/rule_loader.h"
#include "ir/text.h"
#include "modules.h"
#include "runs/trace/reader.h"

namespace amdahlc::fuzz {
namespace {

void fuzzRulesOnGraph(std::string_view input, Run& run) {
  static const std::string model = ir::print(importedBlock());
  static const std::string trace = projectFile("tests/fuzz/models/block.trace.json");
  const std::string path = memoryFile(input);
  auto rules = grammar::loadRules({{path, FileLocation{path}}}, {}, run.sources, run.diagnostics);
  if (!rules) return;
  ir::Module module = parsed(model);
  module.rules = std::move(*rules);
  analyse(module, *trace::readTraceBytes(trace, "trace.json", {"run", {}}, run.diagnostics), run);
}

const Registration kRulesOnGraph(
    {.name = "rules_on_graph", .fuzzOne = fuzzRulesOnGraph, .mutate = mutateTokens, .mutations = 100, .everySeed = 8});

}  // namespace
}  // namespace amdahlc::fuzz
