/// Pipeline text: what is planned prints, and the print plans the same pipeline.
#include "api/planning.h"
#include "fuzz.h"
#include "passes/registry/all_passes.h"

namespace amdahlc::fuzz {
namespace {

std::optional<std::string> planned(std::string_view text, SourceManager& sources, DiagnosticEngine& diagnostics) {
  api::Request request;
  request.passes = std::string(text);
  api::Outcome code{};
  const PassInputs given{PassInput::Rules, PassInput::Trace, PassInput::HostEvents, PassInput::Speedups};
  const auto pipeline = api::planPipeline(request, given, allPasses(), true, sources, diagnostics, code);
  require(pipeline.has_value() == (code == api::Outcome::Done), "the exit status contradicts the result");
  return pipeline ? std::optional(printPipeline(*pipeline)) : std::nullopt;
}

void fuzzPipeline(std::string_view input, Run& run) {
  const auto text = planned(input, run.sources, run.diagnostics);
  require(text.has_value() || run.diagnostics.hasErrors(), "a refusal without an error");
  if (!text) return;
  run.output("pipeline", *text);
  SourceManager sources;
  DiagnosticEngine again = noErrors(sources, "a printed pipeline cannot be read");
  require(planned(*text, sources, again) == text, "a printed pipeline plans another one: " + *text);
}

const Registration kPipeline({.name = "pipeline", .fuzzOne = fuzzPipeline, .mutate = mutateTokens, .mutations = 4000});

}  // namespace
}  // namespace amdahlc::fuzz
