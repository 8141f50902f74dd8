#include <doctest/doctest.h>

#include "graph_and_rules.h"

using namespace amdahlc;
using namespace amdahlc::test;

TEST_CASE("a match follows operands from the root") {
  GraphBuilder g;
  const auto x = g.input("x");
  const auto product = g.value("MatMul", {x, g.constant({})});
  const auto sum = g.value("Add", {product, g.constant({})});
  g.result(g.value("Relu", {sum}));
  addRule(g.module, "linear", {chainPattern({{"MatMul", 2}, {"Add", 2}})});
  const auto found = enumerate(g.module).candidates;
  REQUIRE(found.size() == 1);
  CHECK(found[0_candidate].ops == ids<ir::OpId>({0, 1}));
  CHECK(found[0_candidate].root == 1_op);
  CHECK(found[0_candidate].anchor == 0_op);
  CHECK(found[0_candidate].owned == 2);
  CHECK(found[0_candidate].results == std::vector<ir::ValueId>{sum});
}

TEST_CASE("operands of a commutative operator match in either order") {
  for (const bool anyOrder : {true, false}) {
    GraphBuilder g;
    const auto x = g.input("x");
    g.result(g.value("Add", {g.constant({}), g.value("MatMul", {x, x})}));
    PatternBuilder p;
    const auto product = p.made("product", {"MatMul"}, {p.captured("a"), p.captured("b")});
    const auto sum = p.made("sum", {"Add"}, {product, p.captured("bias")});
    p.node().anyOrder = anyOrder;
    addRule(g.module, "linear", {p.results({sum})});
    CHECK(matchedOps(g.module) == (anyOrder ? idLists<ir::OpId>({{0, 1}}) : Sets{}));
  }
}

TEST_CASE("a swapped order is not tried if it cannot give another match") {
  GraphBuilder g;
  g.result(g.value("Add", {g.input("x"), g.input("y")}));
  PatternBuilder p;
  const auto sum = p.made("sum", {"Add"}, {p.captured("a"), p.captured("b")});
  p.node().anyOrder = true;
  addRule(g.module, "add", {p.results({sum})});
  CHECK(enumerate(g.module).steps == 3);
}

TEST_CASE("an optional operator may be left out") {
  for (const bool present : {true, false}) {
    GraphBuilder g;
    auto value = g.value("MatMul", {g.input("x"), g.input("y")});
    if (present) value = g.value("Mul", {value, g.constant({0.125})});
    g.result(g.value("Softmax", {value}));
    PatternBuilder p;
    const auto scores = p.made("scores", {"MatMul"}, {p.captured("a"), p.captured("b")});
    const auto scaled = p.made("scaled", {"Mul", "Div"}, {scores, p.constant()});
    p.alias(scaled, scores);
    const auto probabilities = p.made("probabilities", {"Softmax"}, {scaled});
    addRule(g.module, "attention", {p.results({probabilities})});
    CHECK(matchedOps(g.module) == (present ? idLists<ir::OpId>({{0, 1, 2}}) : idLists<ir::OpId>({{0, 1}})));
  }
}

TEST_CASE("a chain takes the longest run first, and shorter ones are candidates too") {
  GraphBuilder g;
  auto value = g.value("MatMul", {g.input("x"), g.input("y")});
  value = g.value("Reshape", {value, g.constant({})});
  value = g.value("Transpose", {value});
  g.result(g.value("Relu", {value}));
  PatternBuilder p;
  const auto from = p.captured("from");
  const auto viewed = p.made("viewed", {"Reshape", "Transpose"}, {from});
  p.node().min = 0;
  p.node().max = 0;
  p.node().view = true;
  p.node().moreOperands = true;
  const auto out = p.made("out", {"Relu"}, {viewed});
  addRule(g.module, "relu", {p.results({out})});
  const auto found = enumerate(g.module).candidates;
  REQUIRE(found.size() == 3);
  CHECK(found[0_candidate].ops == ids<ir::OpId>({1, 2, 3}));
  CHECK(found[1_candidate].ops == ids<ir::OpId>({2, 3}));
  CHECK(found[2_candidate].ops == ids<ir::OpId>({3}));
  for (const auto& candidate : found) {
    CHECK(candidate.owned == 1);
    CHECK(candidate.anchor == 3_op);
  }
}

TEST_CASE("a chain keeps to its bounds") {
  GraphBuilder g;
  auto value = g.input("x");
  for (int i = 0; i < 5; ++i) value = g.value("Identity", {value});
  g.result(value);
  PatternBuilder p;
  const auto out = p.made("out", {"Identity"}, {p.captured("from")});
  p.node().min = 2;
  p.node().max = 3;
  addRule(g.module, "identities", {p.results({out})});
  CHECK(matchedOps(g.module) == idLists<ir::OpId>({{0, 1}, {0, 1, 2}, {1, 2}, {1, 2, 3}, {2, 3}, {2, 3, 4}, {3, 4}}));
}

TEST_CASE("a value inside a match must not be used outside, unless it is shared") {
  for (const bool shared : {true, false}) {
    GraphBuilder g;
    const auto sum = g.value("Add", {g.input("x"), g.input("y")});
    const auto norm = g.value("LayerNormalization", {sum});
    g.result(g.value("Mul", {sum, norm}));
    PatternBuilder p;
    const auto inner = p.made("sum", {"Add"}, {p.captured("a"), p.captured("b")});
    p.at(inner).shared = shared;
    addRule(g.module, "add-norm", {p.results({p.made("out", {"LayerNormalization"}, {inner})})});
    const auto found = enumerate(g.module).candidates;
    REQUIRE(found.size() == (shared ? 1 : 0));
    if (shared) CHECK(found[0_candidate].results == std::vector<ir::ValueId>{norm, sum});
  }
}

TEST_CASE("a graph output is a use") {
  GraphBuilder g;
  const auto sum = g.value("Add", {g.input("x"), g.input("y")});
  g.result(g.value("Relu", {sum}));
  g.result(sum);
  addRule(g.module, "add-relu", {chainPattern({{"Add", 2}, {"Relu", 1}})});
  CHECK(matchedOps(g.module).empty());
}

TEST_CASE("a use inside a region is a use outside the match") {
  GraphBuilder g;
  const auto sum = g.value("Add", {g.input("x"), g.input("y")});
  const auto rectified = g.value("Relu", {sum});
  const auto branch = g.op("If", {rectified});
  g.enter(branch, "then_branch");
  g.result(g.value("Neg", {sum}));
  g.leave();
  g.result(g.out(branch));
  addRule(g.module, "add-relu", {chainPattern({{"Add", 2}, {"Relu", 1}})});
  CHECK(matchedOps(g.module).empty());
}

TEST_CASE("matches are found inside regions and do not cross their border") {
  GraphBuilder g;
  const auto outer = g.value("Add", {g.input("x"), g.input("y")});
  const auto branch = g.op("If", {g.input("c")});
  g.enter(branch, "then_branch");
  const auto inner = g.value("Add", {outer, outer});
  g.result(g.value("Relu", {inner}));
  g.leave();
  g.enter(branch, "else_branch");
  g.result(g.value("Relu", {outer}));
  g.leave();
  g.result(g.out(branch));
  addRule(g.module, "add-relu", {chainPattern({{"Add", 2}, {"Relu", 1}})});
  CHECK(matchedOps(g.module) == idLists<ir::OpId>({{2, 3}}));
}

TEST_CASE("several roots are found through the operand they share") {
  GraphBuilder g;
  const auto x = g.input("x");
  for (int i = 0; i < 3; ++i) g.result(g.value("MatMul", {x, g.constant({})}));
  PatternBuilder p;
  const auto shared = p.captured("x");
  std::vector<uint32_t> results;
  for (const char* name : {"q", "k", "v"}) results.push_back(p.made(name, {"MatMul"}, {shared, p.constant()}));
  addRule(g.module, "qkv", {p.results(results)});
  const auto found = enumerate(g.module).candidates;
  // Six ways to name the same three operators, from three roots: one candidate.
  REQUIRE(found.size() == 1);
  CHECK(found[0_candidate].ops == ids<ir::OpId>({0, 1, 2}));
  CHECK(found[0_candidate].root == 0_op);
  CHECK(found[0_candidate].results.size() == 3);
}

TEST_CASE("a further result may lie several operators away") {
  GraphBuilder g;
  const auto x = g.input("x");
  g.result(g.value("Relu", {g.value("MatMul", {x, g.constant({})})}));
  g.result(g.value("Tanh", {g.value("Add", {g.value("MatMul", {x, g.constant({})}), g.constant({})})}));
  PatternBuilder p;
  const auto shared = p.captured("x");
  const auto first = p.made("first", {"Relu"}, {p.made("m", {"MatMul"}, {shared, p.constant()})});
  const auto sum = p.made("sum", {"Add"}, {p.made("n", {"MatMul"}, {shared, p.constant()}), p.constant()});
  addRule(g.module, "two-heads", {p.results({first, p.made("second", {"Tanh"}, {sum})})});
  CHECK(matchedOps(g.module) == idLists<ir::OpId>({{0, 1, 2, 3, 4}}));
}

TEST_CASE("one operator of several outputs is matched once") {
  GraphBuilder g;
  const auto split = g.op("Split", {g.input("x")}, 2);
  g.result(g.value("Mul", {g.out(split, 0), g.value("Sigmoid", {g.out(split, 1)})}));
  const auto build = [](uint32_t secondOutput) {
    PatternBuilder p;
    const auto left = p.made("left", {"Split"}, {p.captured("x")});
    ir::PatternValue right;
    right.kind = ir::PatternValue::Kind::Defined;
    right.definitions.push_back({false, 0, secondOutput});
    p.pattern.values.push_back(right);
    const auto rightId = static_cast<uint32_t>(p.pattern.values.size() - 1);
    p.pattern.nodes[0].outputs = {left, rightId};
    const auto gate = p.made("gate", {"Sigmoid"}, {rightId});
    return p.results({p.made("out", {"Mul"}, {left, gate})});
  };
  addRule(g.module, "glu", {build(1)});
  CHECK(matchedOps(g.module) == idLists<ir::OpId>({{0, 1, 2}}));
}

TEST_CASE("constants match by value within a thousandth") {
  for (const auto& [element, expected] : {std::pair{1.4141, true}, {1.42, false}}) {
    GraphBuilder g;
    g.result(g.value("Div", {g.input("x"), g.constant({element})}));
    PatternBuilder p;
    addRule(g.module, "gelu", {p.results({p.made("out", {"Div"}, {p.captured("x"), p.constant(1.41421356)})})});
    CHECK(matchedOps(g.module).empty() != expected);
  }
  GraphBuilder g;
  g.result(g.value("Div", {g.input("x"), g.constant({2, 3})}));
  PatternBuilder p;
  addRule(g.module, "half", {p.results({p.made("out", {"Div"}, {p.captured("x"), p.constant(2)})})});
  CHECK(matchedOps(g.module).empty());
}

TEST_CASE("operands that a pattern does not name need `...`") {
  for (const bool more : {true, false}) {
    GraphBuilder g;
    g.result(g.value("Conv", {g.input("x"), g.constant({}), g.constant({})}));
    PatternBuilder p;
    const auto out = p.made("out", {"Conv"}, {p.captured("x"), p.constant()});
    p.node().moreOperands = more;
    addRule(g.module, "conv", {p.results({out})});
    CHECK(matchedOps(g.module).size() == (more ? 1 : 0));
  }
}

TEST_CASE("only an optional operand may be omitted") {
  for (const bool optional : {true, false}) {
    GraphBuilder g;
    g.result(g.value("Clip", {g.input("x"), ir::kNone, g.constant({6})}));
    PatternBuilder p;
    addRule(g.module, "clip",
            {p.results({p.made("out", {"Clip"}, {p.captured("x"), p.captured("min", optional), p.captured("max")})})});
    CHECK(matchedOps(g.module).size() == (optional ? 1 : 0));
  }
}

TEST_CASE("two nodes of a pattern are two operators") {
  GraphBuilder g;
  const auto x = g.value("Relu", {g.input("x")});
  g.result(g.value("Add", {x, x}));
  PatternBuilder p;
  const auto left = p.made("left", {"Relu"}, {p.any()});
  const auto right = p.made("right", {"Relu"}, {p.any()});
  addRule(g.module, "two", {p.results({p.made("out", {"Add"}, {left, right})})});
  CHECK(matchedOps(g.module).empty());
}

TEST_CASE("a match that a path leaves and enters again is not convex") {
  GraphBuilder g;
  const auto a = g.value("Exp", {g.input("x")});
  const auto outside = g.value("Tanh", {a});
  g.result(g.value("Mul", {a, outside}));
  PatternBuilder p;
  const auto exponential = p.made("a", {"Exp"}, {p.captured("x")});
  p.at(exponential).shared = true;
  addRule(g.module, "around", {p.results({p.made("out", {"Mul"}, {exponential, p.captured("o")})})});
  CHECK(matchedOps(g.module).empty());
  // The same with the way round through a region.
  GraphBuilder h;
  const auto b = h.value("Exp", {h.input("x")});
  const auto branch = h.op("If", {h.input("c")});
  h.enter(branch, "then_branch");
  h.result(b);
  h.leave();
  h.result(h.value("Mul", {b, h.out(branch)}));
  h.module.rules = g.module.rules;
  CHECK(matchedOps(h.module).empty());
}

TEST_CASE("operator sets: domains, wildcards, exclusions") {
  GraphBuilder g;
  const auto x = g.input("x");
  g.result(g.out(g.op("Gelu", {x}, 1, "com.microsoft")));
  g.result(g.out(g.op("Gelu", {x}, 1)));
  g.result(g.out(g.op("Erf", {x}, 1)));
  g.result(g.out(g.op("Foo", {x}, 1, "my.domain")));
  g.result(g.out(g.op("Gelu", {x}, 1, "ai.onnx")));
  const auto matches = [&](ir::OperatorSet set) {
    g.module.rules.rules.clear();
    PatternBuilder p;
    const auto out = p.made("out", {}, {p.any()});
    p.node().operators = std::move(set);
    addRule(g.module, "set", {p.results({out})});
    Ops ops;
    for (const auto& match : matchedOps(g.module)) ops.push_back(match.front());
    return ops;
  };
  CHECK(matches({{{"", "Gelu"}}, {}}) == ids<ir::OpId>({1, 4}));
  CHECK(matches({{{"*", "Gelu"}}, {}}) == ids<ir::OpId>({0, 1, 4}));
  CHECK(matches({{{"com.microsoft", "*"}}, {}}) == ids<ir::OpId>({0}));
  CHECK(matches({{{"", "*"}}, {}}) == ids<ir::OpId>({1, 2, 4}));
  CHECK(matches({{{"*", "*"}}, {}}) == ids<ir::OpId>({0, 1, 2, 3, 4}));
  CHECK(matches({{}, {{"", "Gelu"}}}) == ids<ir::OpId>({0, 2, 3}));
  CHECK(matches({{{"*", "*"}}, {{"*", "Gelu"}, {"my.domain", "*"}}}) == ids<ir::OpId>({2}));
  CHECK(matches({{}, {}}).empty());
}
