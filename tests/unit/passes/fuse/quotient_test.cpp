#include <doctest/doctest.h>

#include <boost/graph/strong_components.hpp>
#include <random>
#include <set>

#include "graph_and_rules.h"
#include "passes/fuse/kernel_quotient.h"
#include "support/boost_graph.h"

using namespace amdahlc;
using namespace amdahlc::test;

namespace {

struct Fixture {
  explicit Fixture(const ir::Module& module) : graph(module), quotient(graph) {}
  Choice add(Ops ops, bool recompute = false) { return quotient.add(ops, ops.back(), recompute).choice; }
  ir::OperatorGraph graph;
  KernelQuotient quotient;
};

/// Whether the quotient by these groups has a cycle.
bool hasCycle(const ir::OperatorGraph& graph, const std::vector<Ops>& groups) {
  std::vector<size_t> groupOf(graph.size());
  for (size_t op = 0; op < graph.size(); ++op) groupOf[op] = op;
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const ir::OpId op : groups[i]) groupOf[op.index()] = graph.size() + i;
  }
  DirectedGraph<size_t>::Edges edges;
  for (const ir::OpId op : graph.order())
    for (const ir::OpId user : graph.successors(op))
      if (groupOf[op.index()] != groupOf[user.index()]) edges.emplace_back(groupOf[op.index()], groupOf[user.index()]);
  const size_t count = graph.size() + groups.size();
  std::vector<size_t> component(count);
  return boost::strong_components(DirectedGraph<size_t>(count, edges), component.data()) != count;
}

}  // namespace

TEST_CASE("two groups that are each convex can be cyclic together") {
  GraphBuilder g;
  const auto x = g.input("x");
  const auto a = g.value("Exp", {x});   // 0 -> 3
  const auto b = g.value("Tanh", {x});  // 1 -> 2
  g.result(g.value("Neg", {b}));        // 2
  g.result(g.value("Abs", {a}));        // 3
  Fixture f(g.module);
  CHECK(f.add(ids<ir::OpId>({0, 2})) == Choice::Chosen);
  const ir::OpId second[] = {1_op, 3_op};
  const auto result = f.quotient.add(second, 3_op, false);
  CHECK(result.choice == Choice::Cycle);
  CHECK_FALSE(f.quotient.isGrouped(1_op));
  CHECK(f.add(ids<ir::OpId>({1})) == Choice::Chosen);
  CHECK(f.add(ids<ir::OpId>({3})) == Choice::Chosen);
}

TEST_CASE("three groups can be cyclic although no two are") {
  GraphBuilder g;
  const auto x = g.input("x");
  const auto a = g.value("Exp", {x});
  const auto b = g.value("Exp", {x});
  const auto c = g.value("Exp", {x});
  g.result(g.value("Neg", {b}));  // 3 uses 1
  g.result(g.value("Neg", {c}));  // 4 uses 2
  g.result(g.value("Neg", {a}));  // 5 uses 0
  Fixture f(g.module);
  CHECK(f.add(ids<ir::OpId>({0, 3})) == Choice::Chosen);
  CHECK(f.add(ids<ir::OpId>({1, 4})) == Choice::Chosen);
  CHECK(f.add(ids<ir::OpId>({2, 5})) == Choice::Cycle);
}

TEST_CASE("a group that must move in the order takes its surroundings along") {
  // 0 -> 1, 2 -> 3 with {0, 3} grouped: 2 must come before the group, 1 after it. Then {1, 2} would close a cycle.
  GraphBuilder g;
  const auto x = g.input("x");
  g.result(g.value("Neg", {g.value("Exp", {x})}));
  g.result(g.value("Abs", {g.value("Tanh", {x})}));
  Fixture f(g.module);
  CHECK(f.add(ids<ir::OpId>({0, 3})) == Choice::Chosen);
  CHECK(f.add(ids<ir::OpId>({1, 2})) == Choice::Cycle);
}

TEST_CASE("operators are free or taken, unless they may be recomputed") {
  GraphBuilder g;
  const auto x = g.input("x");
  const auto shared = g.value("Exp", {x});
  g.result(g.value("Neg", {shared}));
  g.result(g.value("Abs", {shared}));
  Fixture f(g.module);
  CHECK(f.add(ids<ir::OpId>({0, 1})) == Choice::Chosen);
  const ir::OpId second[] = {0_op, 2_op};
  CHECK(f.quotient.add(second, 2_op, false).op == 0_op);
  CHECK(f.add(ids<ir::OpId>({0, 2}), true) == Choice::Overlaps);  // the first group does not allow it
  Fixture recompute(g.module);
  CHECK(recompute.add(ids<ir::OpId>({0, 1}), true) == Choice::Chosen);
  CHECK(recompute.add(ids<ir::OpId>({0, 2}), true) == Choice::Chosen);
  CHECK(recompute.add(ids<ir::OpId>({0}), true) == Choice::Overlaps);  // nothing new to compute
}

TEST_CASE("recomputation does not hide a cycle through other operands of the groups") {
  // Both groups compute 0 themselves, and each would need a result of the other.
  GraphBuilder g;
  const auto x = g.input("x");
  const auto shared = g.value("Exp", {x});
  const auto sine = g.value("Sin", {x});
  g.result(g.value("Mul", {shared, sine}));
  const auto cosine = g.value("Cos", {x});
  g.result(g.value("Add", {shared, cosine}));
  Fixture f(g.module);
  CHECK(f.add(ids<ir::OpId>({0, 3, 2}), true) == Choice::Chosen);
  CHECK(f.add(ids<ir::OpId>({0, 1, 4}), true) == Choice::Cycle);
  CHECK(f.add(ids<ir::OpId>({0, 4}), true) == Choice::Chosen);
}

TEST_CASE("the quotient agrees with a plain search for cycles on random graphs") {
  std::mt19937 random(20);
  int accepted = 0;
  int cycles = 0;
  for (int trial = 0; trial < 300; ++trial) {
    GraphBuilder g;
    std::vector<ir::ValueId> values{g.input("x")};
    const unsigned count = 6 + random() % 30;
    for (unsigned i = 0; i < count; ++i) {
      std::vector<ir::ValueId> inputs;
      for (unsigned k = 0; k < 1 + random() % 2; ++k)
        inputs.push_back(values[values.size() - 1 - random() % std::min<size_t>(values.size(), 12)]);
      values.push_back(g.value("Sum", inputs));
    }
    Fixture f(g.module);
    std::vector<Ops> groups;
    std::set<ir::OpId> taken;
    for (int attempt = 0; attempt < 40; ++attempt) {
      std::set<ir::OpId> picked;
      const unsigned start = random() % count;
      for (unsigned k = 0; k < 2 + random() % 3; ++k)
        picked.insert(ir::OpId(std::min<size_t>(count - 1, start + random() % 8)));
      const Ops ops(picked.begin(), picked.end());
      const bool overlap = std::any_of(ops.begin(), ops.end(), [&](ir::OpId op) { return taken.contains(op); });
      const Choice outcome = f.add(ops);
      if (overlap) {
        CHECK(outcome == Choice::Overlaps);
        continue;
      }
      groups.push_back(ops);
      const bool cyclic = hasCycle(f.graph, groups);
      REQUIRE((outcome == Choice::Cycle) == cyclic);
      cycles += cyclic;
      accepted += !cyclic;
      if (cyclic) {
        groups.pop_back();
      } else {
        taken.insert(ops.begin(), ops.end());
      }
    }
  }
  CHECK(accepted > 500);
  CHECK(cycles > 100);
}
