#include "ir/operator_graph.h"

#include <doctest/doctest.h>

#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

using Ops = std::vector<OpId>;

Ops list(std::span<const OpId> ops) { return {ops.begin(), ops.end()}; }

}  // namespace

TEST_CASE("uses are those of live operators, in order, with the operators inside regions") {
  ModuleBuilder b;
  const ValueId x = b.input("x");
  b.op("Add", {"x", "x"}, {"a"});
  const OpId branch = b.op("If", {"a"}, {"b"});
  const GraphId body = b.addGraph(branch, "then_branch");
  const OpId inner = b.op("Mul", {"a", "x"}, {"c"}, body);
  const OpId dead = b.op("Neg", {"x"}, {"d"});
  b.module.ops[dead].state = OpState::Folded;
  b.output("c", body);
  b.output("b");
  const OperatorGraph graph(b.module);
  const auto uses = graph.uses(x);
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].op == 0_op);
  CHECK(uses[1].operand == 1);
  CHECK(uses[2].op == inner);
  CHECK(uses[2].operand == 1);
  CHECK(graph.uses(b.value("a")).size() == 2);
  CHECK(graph.uses(b.value("d")).empty());
  CHECK(graph.isGraphOutput(b.value("b")));
  CHECK(graph.isGraphOutput(b.value("c")));
  CHECK_FALSE(graph.isGraphOutput(x));
}

TEST_CASE("dataflow stays in a graph: uses and results of a region count for the operator that owns it") {
  ModuleBuilder b;
  b.input("x");
  const OpId first = b.op("Relu", {"x"}, {"a"});
  const OpId second = b.op("Tanh", {"x"}, {"t"});
  const OpId branch = b.op("If", {"x"}, {"b"});
  const GraphId body = b.addGraph(branch, "then_branch");
  const OpId inner = b.op("Mul", {"a", "a"}, {"c"}, body);
  const OpId innerUser = b.op("Neg", {"c"}, {"d"}, body);
  b.output("d", body);
  const GraphId other = b.addGraph(branch, "else_branch");
  b.output("t", other);
  const OpId last = b.op("Exp", {"b"}, {"e"});
  b.output("e");
  const OperatorGraph graph(b.module);
  CHECK(list(graph.successors(first)) == Ops{branch, branch});
  CHECK(list(graph.successors(second)) == Ops{branch});
  CHECK(list(graph.successors(inner)) == Ops{innerUser});
  CHECK(list(graph.successors(innerUser)).empty());
  CHECK(list(graph.predecessors(last)) == Ops{branch});
  CHECK(list(graph.predecessors(inner)).empty());
  CHECK(list(graph.returnedBy(b.value("t"))) == Ops{branch});
  CHECK(list(graph.returnedBy(b.value("d"))) == Ops{branch});
  CHECK(list(graph.returnedBy(b.value("e"))).empty());
  CHECK(graph.parent(body) == branch);
  CHECK(graph.parent(kMainGraph) == kNone);
  CHECK(graph.ancestorIn(kMainGraph, inner) == branch);
  CHECK(graph.ancestorIn(body, inner) == inner);
  CHECK(graph.ancestorIn(body, first) == kNone);
}

TEST_CASE("positions are a topological order, a region after its operator; only live operators have one") {
  ModuleBuilder b;
  b.input("x");
  const OpId first = b.op("Relu", {"x"}, {"a"});
  const OpId branch = b.op("If", {"a"}, {"b"});
  const GraphId body = b.addGraph(branch, "then_branch");
  const OpId inner = b.op("Mul", {"a", "a"}, {"c"}, body);
  b.output("c", body);
  const OpId dead = b.op("Neg", {"x"}, {"d"});
  const OpId last = b.op("Exp", {"b"}, {"e"});
  b.module.ops[dead].state = OpState::Folded;
  const OperatorGraph graph(b.module);
  CHECK(list(graph.order()) == Ops{first, branch, inner, last});
  CHECK(graph.position(inner) == 2);
  CHECK_FALSE(graph.isLive(dead));
  CHECK(graph.liveCount() == 4);
  CHECK(graph.producer(b.value("c")) == inner);
  CHECK(graph.producer(b.value("d")) == kNone);
  CHECK(graph.producer(b.value("x")) == kNone);
}
