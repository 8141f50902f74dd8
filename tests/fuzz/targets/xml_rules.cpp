/// Pattern libraries in XML: rules that the checker accepts, or errors.
#include "fuzz.h"
#include "grammar/rule_loader.h"
#include "grammar/xml_rules/convert.h"

namespace amdahlc::fuzz {
namespace {

void fuzzXmlRules(std::string_view input, Run& run) {
  const auto text = grammar::xml_rules::convertLibrary(memoryFile(input), run.sources, run.diagnostics);
  require(text.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (!text) return;
  run.output("rules", *text);
  const std::string path = memoryFile(*text, 1);
  DiagnosticEngine quiet = noErrors(run.sources, "loading converted rules");
  grammar::loadRules({{path, FileLocation{path}}}, {}, run.sources, quiet);
}

const Registration kXmlRules({.name = "xml_rules", .fuzzOne = fuzzXmlRules, .mutate = mutateTokens, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
