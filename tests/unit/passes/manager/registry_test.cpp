// What follows from the declarations of passes.
#include "passes/manager/registry.h"

#include <doctest/doctest.h>

#include "passes/manager/pipeline.h"

namespace amdahlc {
namespace {

/// A pass that only declares.
struct Declared : Pass {
  PassResult run(ir::Module&, PassContext&) override { return PassResult::unchanged(); }
};
struct Bind : Declared {
  Bind() {
    runsByDefault();
    needsInput(PassInput::Trace);
    establishesFacet(ir::Facet::Bound);
    enablesOutput({.name = "rows", .summary = "", .needs = ir::Facet::Bound});
  }
};
struct Time : Declared {
  Time() {
    runsByDefault();
    requiresFacet(ir::Facet::Bound);
    establishesFacet(ir::Facet::Timed);
    printsAnalysis({"times", "", ir::Facet::Bound, nullptr});
  }
};
struct Picture : Declared {
  Picture() {
    runsByDefault(DefaultUse::IfAskedFor);
    requiresFacet(ir::Facet::Bound);
    enablesOutput({.name = "picture", .summary = "", .needs = std::nullopt});
  }
};
struct Render : Declared {
  Render() {
    runsByDefault();
    enablesOutput({.name = "text", .summary = "", .needs = std::nullopt});
  }
  void completeOptions(const PassRegistry& registry) override { outputs("output", "text", registry, requests); }
  std::vector<OutputRequest> requests;
};
struct Debug : Declared {};

template <typename P>
PassInfo info(std::string name) {
  return {std::move(name), "", [] { return std::make_unique<P>(); }};
}

PassRegistry registry() {
  return PassRegistry(
      {info<Bind>("bind"), info<Time>("time"), info<Picture>("picture"), info<Render>("render"), info<Debug>("debug")});
}

using Names = std::vector<std::string>;

TEST_CASE("the default pipeline has the passes with their inputs and facets, in the order of the registry") {
  const PassRegistry passes = registry();
  CHECK(defaultPasses(passes, {}, {}) == Names{"render"});
  CHECK(defaultPasses(passes, {PassInput::Trace}, {}) == Names{"bind", "time", "render"});
}

TEST_CASE("a pass that runs if asked for needs one of its outputs, or an option that names it") {
  const PassRegistry passes = registry();
  CHECK(defaultPasses(passes, {PassInput::Trace}, {{"text", ""}}) == Names{"bind", "time", "render"});
  CHECK(defaultPasses(passes, {PassInput::Trace}, {{"picture", "a"}}) == Names{"bind", "time", "picture", "render"});
  CHECK(defaultPasses(passes, {}, {{"picture", "a"}}) == Names{"render"});
  CHECK(defaultPasses(passes, {PassInput::Trace}, {}, {"picture"}) == Names{"bind", "time", "picture", "render"});
  CHECK(defaultPasses(passes, {}, {}, {"picture"}) == Names{"render"});
}

TEST_CASE("the renderer takes the kinds of all passes, its own first, and checks their names and paths") {
  const PassRegistry passes = registry();
  REQUIRE(passes.renderer() == passes.find("render"));
  CHECK(passes.declarations(*passes.renderer()).outputsOption()->choices == Names{"text", "rows", "picture"});
  CHECK(passes.analysisPrinters().size() == 1);

  Names messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  const auto planned = [&](std::optional<std::string> output) {
    PipelineElement element{"render", {}, {}};
    if (output) element.parameters.push_back({"output", output, {}, {}});
    return buildPipeline({element}, passes, {}, diagnostics);
  };
  CHECK_FALSE(planned("rwos"));
  CHECK_FALSE(planned("rows="));
  CHECK(messages == Names{"unknown output `rwos`; did you mean `rows`?",
                          "the path of `rows` is empty; leave the `=` out for `-o` or stdout"});
  const auto asked = planned("rows=a.csv");
  REQUIRE(asked);
  REQUIRE(plannedOutputs(asked->front()).size() == 1);
  CHECK(plannedOutputs(asked->front())[0].request.path == "a.csv");
  const auto byDefault = planned(std::nullopt);
  REQUIRE(byDefault);
  CHECK(plannedOutputs(byDefault->front())[0].request.kind == "text");
}

TEST_CASE("an input that is missing is reported once, with the way to give it") {
  const PassRegistry passes = registry();
  Names messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  const auto pipeline = buildPipeline({{"bind", {}, {}}, {"bind", {}, {}}}, passes, {}, diagnostics);
  REQUIRE(pipeline);
  CHECK(needsInput(*pipeline, PassInput::Trace));
  CHECK_FALSE(needsInput(*pipeline, PassInput::Speedups));
  CHECK(checkInputs(*pipeline, {PassInput::Trace}, diagnostics));
  CHECK_FALSE(checkInputs(*pipeline, {}, diagnostics));
  CHECK(messages == Names{"pass `bind` needs a trace; give one with `-trace=`"});
}

}  // namespace
}  // namespace amdahlc
