// Outputs in pipelines of the passes that there are.
#include <doctest/doctest.h>

#include "passes/registry/all_passes.h"
#include "report/outputs/output_requests.h"

namespace amdahlc {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("an output shows what a pass finds that there is") {
  for (const Output* output : allOutputs())
    for (const std::string_view pass : {output->pass, output->passOfModels})
      if (!pass.empty()) CHECK_MESSAGE(allPasses().find(pass) != nullptr, output->name);
  CHECK(allPasses().find(kRenderingPass)->create()->findOption(kOutputOption) != nullptr);
  CHECK(passesOfOutput("curves-svg=a.svg", true) == Names{"curves"});
  CHECK(passesOfOutput("json", false).empty());
  CHECK(passesOfOutput("html=a.html", false) == Names{"liveness"});
  CHECK(passesOfOutput("html=a.html", true).empty());
}

TEST_CASE("the pass that renders outputs plans those that it names, or the default one") {
  Names messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  const auto planned = [&](std::optional<std::string> output) {
    PipelineElement element{std::string(kRenderingPass), {}, {}};
    if (output) element.parameters.push_back({std::string(kOutputOption), output, {}, {}});
    return buildPipeline({element}, allPasses(), {}, diagnostics);
  };
  CHECK_FALSE(planned("cvs"));
  CHECK_FALSE(planned("csv="));
  CHECK(messages == Names{"unknown output `cvs`; did you mean `csv`?",
                          "the path of `csv` is empty; leave the `=` out for `-o` or stdout"});
  const auto asked = planned("csv=a.csv");
  REQUIRE(asked);
  REQUIRE(plannedOutputs(*asked).size() == 1);
  CHECK(plannedOutputs(*asked)[0].request.path == "a.csv");
  const auto byDefault = planned(std::nullopt);
  REQUIRE(byDefault);
  CHECK(&plannedOutputs(*byDefault)[0].output == findOutput(kDefaultOutput));
  const auto without = buildPipeline({{"timing", {}, {}}}, allPasses(), {}, diagnostics);
  REQUIRE(without);
  CHECK(plannedOutputs(*without).empty());
}

}  // namespace
}  // namespace amdahlc
