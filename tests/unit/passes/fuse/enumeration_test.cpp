#include <doctest/doctest.h>

#include <array>

#include "graph_and_rules.h"

using namespace amdahlc;
using namespace amdahlc::test;

TEST_CASE("candidates are in order of rule, alternative, root, operators") {
  GraphBuilder g;
  auto value = g.input("x");
  for (const char* type : {"Exp", "Neg", "Exp", "Neg"}) value = g.value(type, {value});
  g.result(value);
  addRule(g.module, "pairs", {chainPattern({{"Neg", 1}, {"Exp", 1}}), chainPattern({{"Exp", 1}, {"Neg", 1}})});
  addRule(g.module, "exp", {chainPattern({{"Exp", 1}})});
  const auto found = enumerate(g.module).candidates;
  std::vector<std::array<uint32_t, 3>> keys;
  for (const auto& candidate : found)
    keys.push_back({candidate.rule.index(), candidate.alternative, candidate.root.index()});
  CHECK(keys == std::vector<std::array<uint32_t, 3>>{{0, 0, 2}, {0, 1, 1}, {0, 1, 3}, {1, 0, 0}, {1, 0, 2}});
}

TEST_CASE("of equal operator sets of one rule the first alternative is kept, of two rules both") {
  GraphBuilder g;
  g.result(g.value("Exp", {g.input("x")}));
  addRule(g.module, "a", {chainPattern({{"Exp", 1}}), chainPattern({{"Exp", 1}})});
  addRule(g.module, "b", {chainPattern({{"Exp", 1}})});
  const auto found = enumerate(g.module).candidates;
  REQUIRE(found.size() == 2);
  CHECK(found[0_candidate].alternative == 0);
  CHECK(found[1_candidate].rule == 1_rule);
}

TEST_CASE("rules that cannot apply at an operator cost nothing") {
  GraphBuilder g;
  auto value = g.input("x");
  constexpr int kOps = 1000;
  for (int i = 0; i < kOps; ++i) value = g.value(i % 10 == 0 ? "Gemm" : "Relu", {value});
  g.result(value);
  for (int i = 0; i < 100; ++i)
    addRule(g.module, "absent" + std::to_string(i), {chainPattern({{"Relu", 1}, {"Absent" + std::to_string(i), 1}})});
  addRule(g.module, "gemm", {chainPattern({{"Gemm", 1}})});
  CHECK(enumerate(g.module).attempts == kOps / 10);
}

TEST_CASE("attempts and steps grow in proportion to the graph") {
  const auto measure = [](int layers) {
    GraphBuilder g;
    auto value = g.input("x");
    for (int i = 0; i < layers; ++i) {
      const auto sum = g.value("Add", {g.value("MatMul", {value, g.constant({})}), g.constant({})});
      value = g.value("Mul", {sum, g.value("Sigmoid", {sum})});
    }
    g.result(value);
    addRule(g.module, "linear", {chainPattern({{"MatMul", 2}, {"Add", 2}})});
    addRule(g.module, "matmul", {chainPattern({{"MatMul", 2}})});
    addRule(g.module, "sigmoid", {chainPattern({{"Sigmoid", 1}})});
    return enumerate(g.module);
  };
  const auto small = measure(100);
  const auto large = measure(1000);
  CHECK(small.attempts == 300);
  CHECK(large.attempts == 10 * small.attempts);
  CHECK(large.steps == 10 * small.steps);
}

TEST_CASE("more matches than the bound are cut off and counted") {
  GraphBuilder g;
  const auto x = g.input("x");
  for (int i = 0; i < 10; ++i) g.result(g.value("MatMul", {x, g.constant({})}));
  PatternBuilder p;
  const auto shared = p.captured("x");
  const auto first = p.made("a", {"MatMul"}, {shared, p.constant()});
  const auto second = p.made("b", {"MatMul"}, {shared, p.constant()});
  addRule(g.module, "pair", {p.results({first, second})});
  CHECK(enumerate(g.module).candidates.size() == 45);
  CHECK(enumerate(g.module).truncatedRoots == 0);
  const auto cut = enumerate(g.module, {4, 20000});
  CHECK(cut.truncatedRoots == 10);
  CHECK(cut.candidates.size() < 45);
}

TEST_CASE("a limit that is just reached drops no match") {
  GraphBuilder g;
  auto value = g.input("x");
  for (int i = 0; i < 4; ++i) value = g.value("Identity", {value});
  g.result(value);
  PatternBuilder p;
  const auto out = p.made("out", {"Identity"}, {p.captured("x")});
  p.node().max = 0;
  addRule(g.module, "chain", {p.results({out})});
  CHECK(enumerate(g.module, {4, 20000}).truncatedRoots == 0);
  CHECK(enumerate(g.module, {3, 20000}).truncatedRoots == 1);
}

TEST_CASE("a hostile pattern is stopped by its budget") {
  // A full binary tree of commutative additions over one repeated operand, whose last condition never holds.
  GraphBuilder g;
  std::vector<ir::ValueId> level;
  for (int i = 0; i < 64; ++i) level.push_back(g.value("Exp", {g.input("x" + std::to_string(i))}));
  while (level.size() > 1) {
    std::vector<ir::ValueId> next;
    for (size_t i = 0; i < level.size(); i += 2) next.push_back(g.value("Add", {level[i], level[i + 1]}));
    level = next;
  }
  g.result(level[0]);
  PatternBuilder p;
  std::vector<uint32_t> leaves;
  for (int i = 0; i < 64; ++i)
    leaves.push_back(p.made("e" + std::to_string(i), {"Exp"}, {p.captured("x" + std::to_string(i))}));
  while (leaves.size() > 1) {
    std::vector<uint32_t> next;
    for (size_t i = 0; i < leaves.size(); i += 2) {
      next.push_back(p.made("", {"Add"}, {leaves[i], leaves[i + 1]}));
      p.node().anyOrder = true;
    }
    leaves = next;
  }
  p.pattern.where = {make(ir::Expr::Kind::Eq, {number(1), number(2)})};
  addRule(g.module, "tree", {p.results({leaves[0]})});
  const auto found = enumerate(g.module, {64, 5000});
  CHECK(found.candidates.empty());
  CHECK(found.truncatedRoots == 1);
  CHECK(found.steps <= 5000 * found.attempts);
}

TEST_CASE("a pattern that is too deep is truncated and does not crash") {
  for (const int depth : {500, 1999}) {
    GraphBuilder g;
    auto value = g.input("x");
    for (int i = 0; i < depth; ++i) value = g.value("Neg", {value});
    g.result(value);
    addRule(g.module, "deep", {chainPattern(std::vector<std::pair<std::string, unsigned>>(depth, {"Neg", 1}))});
    const auto found = enumerate(g.module);
    CHECK(found.candidates.size() == (depth == 500 ? 1 : 0));
    CHECK(found.truncatedRoots == (depth == 500 ? 0 : 500));
  }
}

TEST_CASE("a further result that many paths could lead to is looked for within the budget") {
  // 20 levels of 10 definitions of 4 operands each: far more paths than steps.
  GraphBuilder g;
  const auto x = g.input("x");
  g.result(g.value("Exp", {x}));
  for (int i = 0; i < 50; ++i) g.result(g.value("Sum", {x, x, x, x}));
  PatternBuilder p;
  const auto first = p.made("first", {"Exp"}, {p.captured("x")});
  auto level = p.captured("y");
  for (int i = 0; i < 20; ++i) {
    const auto next = p.made("level" + std::to_string(i), {"Sum"}, {level, level, level, level});
    for (int k = 1; k < 10; ++k) {
      p.pattern.nodes.push_back(p.pattern.nodes.back());
      p.at(next).definitions.push_back({false, static_cast<uint32_t>(p.pattern.nodes.size() - 1), 0});
    }
    level = next;
  }
  addRule(g.module, "maze", {p.results({first, level})});
  const auto found = enumerate(g.module);
  CHECK(found.candidates.empty());
  CHECK(found.truncatedRoots == 1);
  CHECK(found.steps <= 20000);
}

TEST_CASE("a value that is defined as itself has no match") {
  GraphBuilder g;
  g.result(g.value("Exp", {g.input("x")}));
  auto selfAlias = chainPattern({{"Exp", 1}});
  selfAlias.values[1].definitions = {{true, 1, 0}};
  addRule(g.module, "broken", {selfAlias});
  CHECK(enumerate(g.module).candidates.empty());
}

TEST_CASE("a near miss has the progress of the best rule and the reason of its failure") {
  GraphBuilder g;
  const auto scores = g.value("MatMul", {g.input("q"), g.input("k")});
  g.result(g.value("MatMul", {g.value("Tanh", {scores}), g.input("v")}));
  PatternBuilder p;
  const auto product = p.made("scores", {"MatMul"}, {p.captured("q"), p.captured("k")});
  const auto probabilities = p.made("probabilities", {"Softmax"}, {product});
  addRule(g.module, "sdpa", {p.results({p.made("out", {"MatMul"}, {probabilities, p.captured("v")})})});
  const auto found = enumerate(g.module, {}, true);
  const RuleIndex index(g.module);
  REQUIRE(found.nearMisses.size() == 3);
  const NearMiss& miss = found.nearMisses[2_op];
  REQUIRE(miss.pattern == 0);
  CHECK(miss.failure.matched == ids<ir::OpId>({2}));
  CHECK(describe(g.module, index.patterns()[0], miss.failure) ==
        "`probabilities` of `n2` is produced by `n1` (Tanh); `Softmax` was expected");
  CHECK(found.nearMisses[1_op].pattern == ir::kNoIndex);
}
