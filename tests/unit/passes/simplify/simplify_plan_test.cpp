#include "passes/simplify/simplify_plan.h"

#include <doctest/doctest.h>

#include "../../ir/graph_of.h"
#include "ir/verifier.h"
#include "passes/manager/pass.h"

namespace amdahlc {
std::unique_ptr<Pass> makeSimplifyPass();
}

using namespace amdahlc;
using namespace amdahlc::simplify;
using amdahlc::ir::test::GraphOf;
using namespace amdahlc::ir::test;
using ir::ElementType;
using ir::OpState;

namespace {

/// Runs the pass twice; the second run must change nothing, and the module must be valid after the first.
void runSimplify(ir::Module& module) {
  DiagnosticEngine diagnostics;
  for (const auto expected : {PassResult::Kind::Changed, PassResult::Kind::Unchanged}) {
    AnalysisManager analyses(module);
    PassContext context(diagnostics, analyses);
    CHECK(makeSimplifyPass()->run(module, context).kind == expected);
    CHECK(ir::verify(module, diagnostics));
  }
}

ir::Attribute perm(std::vector<int64_t> order) { return {"perm", std::move(order)}; }

}  // namespace

TEST_CASE("an identity is absorbed into its first user, through other identities") {
  GraphOf graph;
  const auto x = graph.input("x");
  const auto a = graph.op("a", "Identity", {x}), b = graph.op("b", "Identity", {a}),
             late = graph.op("late", "Neg", {x}), y = graph.op("y", "Abs", {b}), z = graph.op("z", "Exp", {a});
  graph.outputs({y, z, late});
  runSimplify(graph.module);
  const auto state = [&](ir::ValueId value) { return graph.module.ops[graph.producer(value)]; };
  CHECK(state(a).state == OpState::Absorbed);
  CHECK(state(a).absorbedInto == graph.producer(y));
  CHECK(state(b).absorbedInto == graph.producer(y));
  CHECK(graph.module.ops[graph.producer(y)].absorbed == ir::test::ids<ir::OpId>({0, 1}));
  CHECK(graph.module.ops[graph.producer(y)].inputs == std::vector<ir::ValueId>{x});
  CHECK(graph.module.ops[graph.producer(z)].inputs == std::vector<ir::ValueId>{x});
}

TEST_CASE("an identity before a graph output is absorbed into the producer") {
  GraphOf graph;
  const auto x = graph.input("x"), y = graph.op("y", "Abs", {x}), out = graph.op("out", "Identity", {y});
  graph.outputs({out});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(out)].absorbedInto == graph.producer(y));
  CHECK(graph.module.graphs[0_graph].outputs == std::vector<ir::ValueId>{y});
}

TEST_CASE("an identity from input to output has no absorber and is folded") {
  GraphOf graph;
  const auto x = graph.input("x"), out = graph.op("out", "Identity", {x});
  graph.outputs({out});
  runSimplify(graph.module);
  CHECK(graph.module.ops[0_op].state == OpState::Folded);
  CHECK(graph.module.graphs[0_graph].outputs == std::vector<ir::ValueId>{x});
}

TEST_CASE("casts go only if the type stays") {
  GraphOf graph;
  const auto half = ir::Type::tensor(ElementType::Float16, {ir::Dim::of(2)});
  const auto x = graph.input("x");
  const auto same = graph.op("same", "Cast", {x}), narrow = graph.op("narrow", "Cast", {same}, half),
             y = graph.op("y", "Neg", {narrow}, half);
  graph.outputs({y});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(same)].absorbedInto == graph.producer(narrow));
  CHECK(graph.module.ops[graph.producer(narrow)].state == OpState::Live);
}

TEST_CASE("transposes that undo one another go, unless the first has another user") {
  for (const bool shared : {false, true}) {
    GraphOf graph;
    const auto x = graph.input("x");
    const auto there = graph.op("there", "Transpose", {x}, GraphOf::matrix(), {perm({1, 2, 0})}),
               back = graph.op("back", "Transpose", {there}, GraphOf::matrix(), {perm({2, 0, 1})}),
               y = graph.op("y", "Neg", {back}), z = graph.op("z", "Neg", {shared ? there : x});
    graph.outputs({y, z});
    runSimplify(graph.module);
    CHECK(graph.module.ops[graph.producer(y)].inputs[0] == x);
    CHECK(graph.module.ops[graph.producer(there)].state == (shared ? OpState::Live : OpState::Absorbed));
    CHECK(graph.module.ops[graph.producer(back)].absorbedInto == graph.producer(y));
  }
}

TEST_CASE("a transpose that changes something stays") {
  GraphOf graph;
  const auto x = graph.input("x");
  const auto a = graph.op("a", "Transpose", {x}, GraphOf::matrix(), {perm({1, 2, 0})}),
             b = graph.op("b", "Transpose", {a}, GraphOf::matrix(), {perm({1, 2, 0})});
  graph.outputs({b});
  runSimplify(graph.module);
  CHECK(graph.module.graphs[0_graph].order.size() == 2);
}

TEST_CASE("shape arithmetic and dead operators are folded; values become constants") {
  GraphOf graph;
  const auto x = graph.input("x");
  const auto shape = graph.op("shape", "Shape", {x}, GraphOf::vector(ElementType::Int64, 2)),
             unused = graph.op("unused", "Exp", {x}), y = graph.op("y", "Reshape", {x, shape});
  graph.outputs({y});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(unused)].state == OpState::Folded);
  CHECK(graph.module.ops[0_op].state == OpState::Folded);
  CHECK(graph.module.values[shape].kind == ir::Value::Kind::Constant);
  CHECK(graph.module.values[shape].constant->ints == std::vector<int64_t>{2, 3});
  CHECK(graph.module.graphs[0_graph].order == std::vector<ir::OpId>{graph.producer(y)});
}

TEST_CASE("a filled tensor is folded if all its uses are shapes, and stays if data needs it") {
  for (const bool asData : {false, true}) {
    GraphOf graph;
    const auto x = graph.input("x"), size = graph.constant("size", {2});
    const auto filled = graph.op("filled", "ConstantOfShape", {size}, GraphOf::vector(ElementType::Int64, 2)),
               y = asData ? graph.op("y", "Gather", {x, filled}) : graph.op("y", "Expand", {x, filled});
    graph.outputs({y});
    if (asData)
      CHECK(SimplifyPlan(graph.module, ir::OperatorGraph(graph.module)).reason(0_op) == Reason::Kept);
    else
      CHECK(SimplifyPlan(graph.module, ir::OperatorGraph(graph.module)).reason(0_op) == Reason::ShapeArithmetic);
  }
}

TEST_CASE("dropout is removed in inference and stays in training") {
  for (const bool training : {false, true}) {
    GraphOf graph;
    const auto x = graph.input("x"), ratio = graph.input("ratio", ir::Type::tensor(ElementType::Float, {})),
               mode = graph.constant("mode", {training});
    const auto dropped = graph.op("dropped", "Dropout", {x, ratio, mode}), y = graph.op("y", "Neg", {dropped});
    graph.outputs({y});
    CHECK(SimplifyPlan(graph.module, ir::OperatorGraph(graph.module)).reason(0_op) ==
          (training ? Reason::Kept : Reason::Dropout));
  }
}

TEST_CASE("edges go through hidden operators, along the operand that carries data") {
  GraphOf graph;
  graph.module.rules.hidden.any = {{"", "Mul"}};
  const auto x = graph.input("x");
  const auto scaled = graph.op("scaled", "Mul", {graph.constant("two", {2}), x}), y = graph.op("y", "Neg", {scaled});
  graph.outputs({y});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(y)].inputs == std::vector<ir::ValueId>{x});
  CHECK(graph.module.ops[graph.producer(scaled)].absorbedInto == graph.producer(y));
}

TEST_CASE("an identity that a body only forwards is absorbed into the operator around it") {
  GraphOf graph;
  const auto condition = graph.input("condition", ir::Type::tensor(ElementType::Bool, {})), x = graph.input("x");
  const auto branch = graph.op("branch", "If", {condition});
  graph.body(branch, "then_branch");
  const auto inner = graph.op("inner", "Identity", {x});
  graph.close({inner});
  graph.body(branch, "else_branch");
  const auto other = graph.op("other", "Neg", {x}), dead = graph.op("dead", "Exp", {x});
  graph.close({other});
  graph.outputs({branch});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(inner)].absorbedInto == graph.producer(branch));
  CHECK(graph.module.graphs[1_graph].outputs == std::vector<ir::ValueId>{x});
  CHECK(graph.module.ops[graph.producer(other)].state == OpState::Live);
  CHECK(graph.module.ops[graph.producer(dead)].state == OpState::Folded);
}

TEST_CASE("a dead control-flow operator is removed with its bodies") {
  GraphOf graph;
  const auto condition = graph.input("condition", ir::Type::tensor(ElementType::Bool, {})), x = graph.input("x");
  const auto branch = graph.op("branch", "If", {condition});
  graph.body(branch, "then_branch");
  const auto inner = graph.op("inner", "Neg", {x});
  graph.close({inner});
  const auto y = graph.op("y", "Neg", {x});
  graph.outputs({y});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(branch)].state == OpState::Folded);
  CHECK(graph.module.ops[graph.producer(inner)].state == OpState::Folded);
}

TEST_CASE("operators that an earlier run absorbed follow their operator") {
  GraphOf graph;
  const auto x = graph.input("x");
  const auto a = graph.op("a", "Identity", {x}), b = graph.op("b", "Neg", {a}), y = graph.op("y", "Abs", {b});
  graph.outputs({y});
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(a)].absorbedInto == graph.producer(b));
  graph.module.rules.hidden.any = {{"", "Neg"}};
  runSimplify(graph.module);
  CHECK(graph.module.ops[graph.producer(a)].absorbedInto == graph.producer(y));
  CHECK(graph.module.ops[graph.producer(y)].absorbed == ir::test::ids<ir::OpId>({0, 1}));
}

TEST_CASE("the replacement of a value gets the dimensions that were declared for it") {
  GraphOf graph;
  const auto x = graph.input("x");
  const auto y = graph.op("y", "Neg", {x}, ir::Type::tensor(ElementType::Float, {ir::Dim::named("n"), ir::Dim::of(3)})),
             out = graph.op("out", "Identity", {y});
  graph.outputs({out});
  runSimplify(graph.module);
  CHECK(ir::describe(graph.module.values[y].type) == "float32[2,3]");
  CHECK(graph.module.values[y].byteSize == 24);
}
