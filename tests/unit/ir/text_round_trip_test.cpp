#include <doctest/doctest.h>

#include "ir/text.h"
#include "ir/verifier.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

std::optional<Module> parseText(const std::string& text, std::string& messages) {
  SourceManager sources;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages += render(diagnostic, sources, false); });
  return parse(sources.add("sample.air", text), sources, diagnostics);
}

/// Prints, parses and prints again.
void checkRoundTrip(const Module& module) {
  Messages messages;
  CHECK(verify(module, messages.engine));
  CHECK_MESSAGE(messages.text.empty(), messages.text);
  const std::string first = print(module);
  std::string errors;
  const auto parsed = parseText(first, errors);
  REQUIRE_MESSAGE(parsed.has_value(), errors << first);
  CHECK(print(*parsed) == first);
}

}  // namespace

TEST_CASE("a module with everything in it prints, parses and prints the same") { checkRoundTrip(everything()); }

TEST_CASE("a module after each stage prints, parses and prints the same") {
  Module module = everything();
  module.scenarios.clear();
  module.retract(Facet::Scenarios);
  checkRoundTrip(module);
  for (Cover& cover : module.covers) {
    cover.criticalPath.reset();
    cover.branches.clear();
    for (Kernel& kernel : cover.kernels) kernel.path.reset();
  }
  module.retract(Facet::CriticalPath);
  checkRoundTrip(module);
  for (Cover& cover : module.covers) {
    cover.times.reset();
    for (Kernel& kernel : cover.kernels) kernel.time.reset();
  }
  module.retract(Facet::Timed);
  checkRoundTrip(module);
  module.covers.resize(1);
  module.retract(Facet::Bound);
  checkRoundTrip(module);
  module.covers.clear();
  module.candidates.clear();
  module.retract(Facet::Fused);
  checkRoundTrip(module);
}

TEST_CASE("what is read back is what was printed") {
  const Module module = everything();
  std::string errors;
  const auto parsed = parseText(print(module), errors);
  REQUIRE_MESSAGE(parsed.has_value(), errors);
  REQUIRE(parsed->ops.size() == module.ops.size());
  for (OpId op = 0; op < module.ops.size(); ++op) {
    CHECK(parsed->displayName(op) == module.displayName(op));
    CHECK(parsed->ops[op].state == module.ops[op].state);
    CHECK(parsed->ops[op].absorbed == module.ops[op].absorbed);
    CHECK(parsed->text(parsed->ops[op].docString) == module.text(module.ops[op].docString));
  }
  CHECK(parsed->ops[1].attributes == module.ops[1].attributes);
  CHECK(parsed->values.size() == module.values.size());
  // Rules without a candidate are not carried.
  REQUIRE(parsed->rules.rules.size() == 2);
  CHECK(parsed->rules.rules[0] == module.rules.rules[1]);
  CHECK(parsed->rules.rules[1] == module.rules.rules[2]);
  CHECK(parsed->rules.hidden == module.rules.hidden);
  CHECK(parsed->candidates[0].ops == module.candidates[0].ops);
  CHECK(parsed->candidates[0].rule == 0);
  // Device events only, numbered anew.
  const Timeline& timeline = parsed->timelines[0];
  CHECK_FALSE(timeline.hostEvents);
  CHECK(timeline.size() == 6);
  CHECK(timeline.selectedEvents().size() == 4);
  CHECK(parsed->covers[1].kernels[0].events[1].event == 1);
  CHECK(parsed->covers[1].kernels[0].time == module.covers[1].kernels[0].time);
  CHECK(parsed->covers[1].times == module.covers[1].times);
  CHECK(parsed->covers[1].branches == module.covers[1].branches);
  CHECK(parsed->covers[1].unbound[0].event == 5);
  CHECK(parsed->scenarios[0].predictions[0].wallNs == 1.0 / 3.0);
  CHECK(parsed->target == module.target);
}

TEST_CASE("a body may hide a name of the graph around it, and uses of both keep their meaning") {
  ModuleBuilder b;
  b.input("x");
  b.op("Neg", {"x"}, {"y"});
  const OpId outer = b.op("If", {"x"}, {"z"});
  const ValueId outerY = b.value("y");
  const GraphId body = b.addGraph(outer, "then_branch");
  b.op("Abs", {"x"}, {"y"}, body);
  const OpId both = b.op("Add", {"y", "y"}, {"sum"}, body);
  b.module.ops[both].inputs[1] = outerY;
  b.output("sum", body);
  b.output("z");
  checkRoundTrip(b.module);
  std::string errors;
  const auto parsed = parseText(print(b.module), errors);
  REQUIRE(parsed.has_value());
  CHECK(parsed->values[parsed->ops[both].inputs[0]].graph == body);
  CHECK(parsed->values[parsed->ops[both].inputs[1]].graph == 0);
}

TEST_CASE("the text grows with the module and parsing with the text") {
  ModuleBuilder b;
  b.input("v0");
  b.module.values.reserve(20001);
  for (int i = 0; i < 20000; ++i) {
    // The builder looks names up from the newest value, so a chain costs nothing.
    b.op("Relu", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  }
  b.output("v20000");
  fuseTrivially(b.module);
  checkRoundTrip(b.module);
}
