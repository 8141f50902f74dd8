/// Rule files: checked rules, which print, or errors.
#include "fuzz.h"
#include "grammar/rule_loader.h"
#include "ir/text.h"

namespace amdahlc::fuzz {

void fuzzOne(std::string_view input, Run& run) {
  const std::string path = memoryFile(input);
  const auto rules = grammar::loadRules({{path, FileLocation{path}}}, {}, run.sources, run.diagnostics);
  require(rules.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (rules) run.output("rules", ir::printRules(*rules));
}

}  // namespace amdahlc::fuzz
