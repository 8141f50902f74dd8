#include "passes/trace_bind/program.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "models.h"
#include "passes/trace_bind/evidence.h"

namespace amdahlc::binding {
namespace {

using testing::Model;
using testing::ModelProgram;
using namespace ir::test;

AlternativeId alternativeOf(const ModelProgram& built, ir::CandidateId candidate) {
  const auto& all = built.graph.alternatives();
  for (AlternativeId id = 0; id < all.size(); ++id)
    if (all[id].candidate == candidate) return id;
  return kNoAlternative;
}

TEST_CASE("the operators of one exported call are one unit, at the place of the first") {
  Model model;
  const auto product = model.node("MatMul", "linear_1", "aten.linear.default");
  const auto between = model.node("Relu", "relu_1", "aten.relu_.default");
  const auto sum = model.node("Add", "linear_1", "aten.linear.default");
  const auto first = model.node("Tanh"), second = model.node("Tanh");
  const ModelProgram built(model);
  const auto& units = built.program.units();
  REQUIRE(units.size() == 4);
  CHECK(units[built.program.unitOf(product)].ops == std::vector{product, sum});
  CHECK(built.program.unitOf(product) == built.program.unitOf(sum));
  CHECK(units[built.program.unitOf(product)].source == "linear");
  CHECK(units[built.program.unitOf(between)].source == "relu");
  // Without a known call each operator is a unit of its own.
  CHECK(built.program.unitOf(first) != built.program.unitOf(second));
  CHECK(units[built.program.unitOf(first)].source.empty());
  CHECK(built.program.end() == 4);
  CHECK(built.program.positionOf(built.program.unitOf(product)) == 0);
  CHECK(built.program.positionOf(built.program.unitOf(between)) == 1);
  CHECK(built.program.unitAt(3) == built.program.unitOf(second));
}

TEST_CASE("what it costs that a unit does not run depends on how surely it launches something") {
  Model model;
  const auto heavy = model.heavy("MatMul");
  const auto exported = model.ruled("Relu", "relu_1", "aten.relu.default");
  const auto ruled = model.ruled("Relu");
  const auto unknown = model.node("Mystery");
  const auto view = model.view("Reshape");
  const auto free = model.node("Dropout"), perhaps = model.ruled("Dropout");
  for (const ir::OpId op : {free, perhaps}) model.candidate({op}, "k", true);
  // The heaviest operator of a call decides.
  const auto part = model.view("Reshape"), weights = model.heavy("Gemm");
  for (const ir::OpId op : {part, weights}) model.module.ops[op].sourceCall = model.module.strings.intern("call");
  const ModelProgram built(model);
  const auto unit = [&](ir::OpId op) { return built.program.units()[built.program.unitOf(op)]; };
  CHECK(unit(heavy).skip == evidence::Row::SkipExpected);
  CHECK(unit(exported).skip == evidence::Row::SkipExpected);
  CHECK(unit(ruled).skip == evidence::Row::SkipRuled);
  CHECK(unit(unknown).skip == evidence::Row::SkipRuled);
  CHECK(unit(view).skip == evidence::Row::SkipView);
  CHECK(unit(free).skip == evidence::Row::SkipView);
  CHECK(unit(perhaps).skip == evidence::Row::SkipView);
  CHECK(unit(part).skip == evidence::Row::SkipExpected);
  CHECK(unit(heavy).mustRun);
  CHECK(unit(ruled).mustRun);
  CHECK_FALSE(unit(unknown).mustRun);
  CHECK_FALSE(unit(view).mustRun);
  CHECK(unit(view).movesData);
  CHECK_FALSE(unit(part).movesData);
  for (uint32_t p = 0; p < built.program.end(); ++p)
    CHECK(built.program.walk(p) == value(built.program.units()[built.program.unitAt(p)].skip));
}

TEST_CASE("the branches of an If lie one after another, with no way from one into the next") {
  Model model;
  model.ruled("Relu");
  const auto branch = model.node("If");
  model.enter(branch, "then_branch");
  const auto a = model.ruled("Tanh"), b = model.ruled("Tanh");
  model.leave();
  model.enter(branch, "else_branch");
  const auto c = model.ruled("Erf");
  model.leave();
  const auto after = model.ruled("Relu");
  const ModelProgram built(model);
  const Program& program = built.program;
  // Relu, then: a b, gap, else: c, If, Relu.
  REQUIRE(program.end() == 7);
  CHECK(program.unitAt(1) == program.unitOf(a));
  CHECK(program.unitAt(2) == program.unitOf(b));
  CHECK(program.unitAt(3) == kNoUnit);
  CHECK(program.walk(3) == kImpossible);
  CHECK(program.unitAt(4) == program.unitOf(c));
  CHECK(program.unitAt(5) == program.unitOf(branch));
  CHECK(program.unitAt(6) == program.unitOf(after));
  REQUIRE(program.edges().size() == 2);
  CHECK(program.edges()[0].from == 1);  // past the first branch
  CHECK(program.edges()[0].to == 4);
  CHECK(program.edges()[1].from == 3);  // past the second
  CHECK(program.edges()[1].to == 5);
  CHECK(program.loops().empty());
}

TEST_CASE("the body of a loop leads back to its begin, inner loops first") {
  Model model;
  const auto outer = model.node("Loop");
  model.enter(outer, "body");
  model.ruled("Tanh");
  const auto inner = model.node("Scan");
  model.enter(inner, "body");
  model.ruled("Erf");
  model.leave();
  model.leave();
  const ModelProgram built(model);
  // Tanh, Erf, Scan, Loop.
  const auto& loops = built.program.loops();
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].op == inner);
  CHECK(loops[0].begin == 1);
  CHECK(loops[0].end == 2);
  CHECK(loops[1].op == outer);
  CHECK(loops[1].begin == 0);
  CHECK(loops[1].end == 3);
  CHECK(loops[0].cost == value(evidence::Row::NextTrip));
  CHECK(built.program.edges().empty());
}

TEST_CASE("an alternative over several units steps over all of them, and pays for those between that it skips") {
  Model model;
  const auto first = model.ruled("Pow");
  model.node("Cast");
  const auto last = model.ruled("Sqrt");
  const auto norm = model.candidate({first, last});
  const ModelProgram built(model);
  const auto id = alternativeOf(built, norm);
  const Program::Edge& step = built.program.place(id).step;
  CHECK(step.from == 0);
  CHECK(step.to == 3);
  CHECK(step.cost == built.program.walk(1));
  CHECK(step.cost == evidence::value(evidence::Row::SkipRuled));
  CHECK(built.program.place(id).spansUnits);
  CHECK(built.program.place(id).worksAlone);
}

TEST_CASE("an alternative that is interleaved with a unit that must run steps over its anchor only") {
  Model model;
  const auto first = model.ruled("Pow");
  model.ruled("MatMul");
  const auto last = model.heavy("Sqrt");
  const auto fused = model.candidate({first, last});
  const ModelProgram built(model);
  const Program::Edge& step = built.program.place(alternativeOf(built, fused)).step;
  CHECK(step.from == 0);
  CHECK(step.to == 1);
  // The walk pays for the other unit, which runs.
  CHECK(step.cost == -built.program.walk(2));
  CHECK(step.cost == -evidence::value(evidence::Row::SkipExpected));
}

TEST_CASE("a view of an alternative is no part of its step, but costs nothing") {
  Model model;
  const auto view = model.view("Reshape");
  const auto product = model.ruled("MatMul");
  const auto both = model.candidate({product, view});
  const ModelProgram built(model);
  const auto id = alternativeOf(built, both);
  CHECK(built.program.place(id).step.from == 1);
  CHECK(built.program.place(id).step.to == 2);
  CHECK(built.program.place(id).step.cost == -value(evidence::Row::SkipView));
  CHECK_FALSE(built.program.place(id).spansUnits);
}

TEST_CASE("whether an alternative is all of its unit, or a part of what the default cover runs") {
  Model model;
  const auto product = model.node("MatMul", "linear_1", "aten.linear.default");
  const auto sum = model.node("Add", "linear_1", "aten.linear.default");
  const auto alone = model.candidate({product}), both = model.candidate({product, sum});
  model.inCover(both);
  const ModelProgram built(model);
  const auto small = alternativeOf(built, alone), large = alternativeOf(built, both);
  CHECK_FALSE(built.program.place(small).worksAlone);
  CHECK(built.program.place(large).worksAlone);
  CHECK(built.program.place(small).isPart);
  CHECK_FALSE(built.program.place(large).isPart);
  CHECK_FALSE(built.program.place(large).spansUnits);
  const auto& alternatives = built.program.units()[0].alternatives;
  CHECK(std::count(alternatives.begin(), alternatives.end(), small) == 1);
  CHECK(std::count(alternatives.begin(), alternatives.end(), large) == 1);
}

}  // namespace
}  // namespace amdahlc::binding
