/// Rule files: checked rules, or errors. The rules print, and the print reads and prints as the same bytes.
#include "fuzz.h"
#include "grammar/rule_loader.h"
#include "ir/text.h"

namespace amdahlc::fuzz {
namespace {

void fuzzAkp(std::string_view input, Run& run) {
  const std::string path = memoryFile(input);
  const auto rules = grammar::loadRules({{path, FileLocation{path}}}, {}, run.sources, run.diagnostics);
  require(rules.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (!rules) return;
  const std::string text = ir::printRules(*rules);
  run.output("rules", text);
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "printed rules cannot be read");
  const auto again = grammar::loadRuleText("<printed>", text, sources, reading);
  const std::string second = again ? ir::printRules(*again) : std::string();
  if (second != text) require(false, "rules print otherwise after reading; first:\n" + text + "\nthen:\n" + second);
}

const Registration kAkp({.name = "akp", .fuzzOne = fuzzAkp, .mutate = mutateTokens, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
