/// IR text: what is read keeps the invariants; it prints, and the print reads and prints as the same bytes.
#include "grammar/rule_loader.h"
#include "ir/text.h"

#include "modules.h"

namespace amdahlc::fuzz {
namespace {

void fuzzIrText(std::string_view input, Run& run) {
  const BufferId buffer = run.sources.add("module.air", std::string(input));
  const auto module = ir::parse(buffer, run.sources, grammar::ruleReader(run.sources), run.diagnostics);
  require(module.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (module) requireRoundTrip(*module, run);
}

const Registration kIrText({.name = "ir_text", .fuzzOne = fuzzIrText, .mutate = mutateTokens, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
