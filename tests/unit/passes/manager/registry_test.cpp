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
  }
};
struct Render : Declared {
  Render() { runsByDefault(); }
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
  CHECK(defaultPasses(passes, {}) == Names{"render"});
  CHECK(defaultPasses(passes, {PassInput::Trace}) == Names{"bind", "time", "render"});
}

TEST_CASE("a pass that runs if asked for needs a request for it") {
  const PassRegistry passes = registry();
  CHECK(defaultPasses(passes, {PassInput::Trace}, {"picture"}) == Names{"bind", "time", "picture", "render"});
  CHECK(defaultPasses(passes, {}, {"picture"}) == Names{"render"});
  CHECK(passes.analysisPrinters().size() == 1);
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
