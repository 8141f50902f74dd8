/// Rule files: checked rules, which print, or errors.
#include "fuzz.h"
#include "grammar/rule_loader.h"
#include "ir/text.h"

namespace amdahlc::fuzz {
namespace {

void fuzzAkp(std::string_view input, Run& run) {
  const std::string path = memoryFile(input);
  const auto rules = grammar::loadRules({{path, FileLocation{path}}}, {}, run.sources, run.diagnostics);
  require(rules.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (rules) run.output("rules", ir::printRules(*rules));
}

const Registration kAkp({.name = "akp", .fuzzOne = fuzzAkp, .mutate = mutateTokens, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
