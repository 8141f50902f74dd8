#include <doctest/doctest.h>

#include <limits>

#include "graph_and_rules.h"

using namespace amdahlc;
using namespace amdahlc::test;
using Kind = ir::Expr::Kind;

namespace {

ir::Type floats(std::vector<ir::Dim> dims) { return ir::Type::tensor(ir::ElementType::Float, std::move(dims)); }

/// One Gemm over typed operands; does the rule with this condition match?
class Conditions {
 public:
  Conditions() {
    const auto x = g.input("x", floats({ir::Dim::named("batch"), ir::Dim::of(128)}));
    const auto y = g.input("y", floats({ir::Dim::named("batch"), ir::Dim{}}));
    const auto z = g.input("z", ir::Type::unranked(ir::ElementType::Float16));
    gemm = g.op("Gemm", {x, y, z, g.constant({0.125}), g.constant({1, 2})});
    g.attribute(gemm, "alpha", 0.10000000149011612);  // 0.1f
    g.attribute(gemm, "perm", std::vector<int64_t>{0, 2, 1});
    g.attribute(gemm, "mode", std::string("linear"));
    g.module.ops[gemm].scope = g.module.addScope("encoder.layer.3");
    g.result(g.out(gemm));
  }
  bool where(ir::Expr condition) { return matches(std::move(condition), true); }
  bool attribute(ir::Expr condition) { return matches(std::move(condition), false); }

  GraphBuilder g;
  ir::OpId gemm;

 private:
  bool matches(ir::Expr condition, bool where) {
    g.module.rules.rules.clear();
    PatternBuilder p;
    const auto out =
        p.made("out", {"Gemm"}, {p.captured("x"), p.captured("y"), p.captured("z"), p.captured("s"), p.captured("l")});
    (where ? p.pattern.where : p.node().attributes) = {std::move(condition)};
    addRule(g.module, "gemm", {p.results({out})});
    return !matchedOps(g.module).empty();
  }
};

ir::Expr eq(ir::Expr a, ir::Expr b) { return make(Kind::Eq, {std::move(a), std::move(b)}); }
ir::Expr negated(ir::Expr a) { return make(Kind::Not, {std::move(a)}); }

}  // namespace

TEST_CASE("conditions over types and shapes") {
  Conditions c;
  CHECK(c.where(eq(call("rank", {name("x")}), number(2))));
  CHECK_FALSE(c.where(eq(call("rank", {name("x")}), number(3))));
  CHECK(c.where(eq(call("type", {name("z")}), name("float16"))));
  CHECK(c.where(make(Kind::In, {call("type", {name("x")}), name("bfloat16"), name("float32")})));
  CHECK_FALSE(c.where(make(Kind::In, {call("type", {name("x")}), name("bfloat16"), name("float16")})));
  CHECK(c.where(eq(call("dim", {name("x"), make(Kind::Neg, {number(1)})}), number(128))));
  CHECK(c.where(eq(call("dim", {name("x"), number(0)}), call("dim", {name("y"), number(0)}))));
  CHECK(c.where(call("same_shape", {name("x"), name("x")})));
  CHECK(c.where(call("same", {name("x"), name("x")})));
  CHECK(c.where(negated(call("same", {name("x"), name("y")}))));
  CHECK(c.where(eq(call("uses", {name("out")}), number(1))));
  CHECK(c.where(call("constant", {name("s")})));
  CHECK(c.where(negated(call("constant", {name("x")}))));
  CHECK(c.where(eq(call("value", {name("s")}), real(0.125))));
  CHECK(c.where(make(Kind::Ge, {call("opset", {}), number(18)})));
  CHECK(c.where(eq(call("attr", {name("out"), text("alpha")}), real(0.1))));
  CHECK(c.where(eq(call("scope", {name("out")}), leaf(Kind::Regex, "layer\\.[0-9]+$"))));
  CHECK_FALSE(c.where(eq(call("scope", {name("out")}), leaf(Kind::Regex, "^decoder"))));
}

TEST_CASE("an unknown condition never holds, also if negated") {
  Conditions c;
  const auto unknown = {eq(call("rank", {name("z")}), number(2)),
                        eq(call("dim", {name("y"), number(1)}), number(4)),
                        eq(call("dim", {name("x"), number(0)}), number(4)),
                        eq(call("dim", {name("x"), number(7)}), number(4)),
                        call("same_shape", {name("x"), name("y")}),
                        eq(call("opset", {text("none.such")}), number(1)),
                        eq(call("value", {name("l")}), number(1)),
                        eq(call("attr", {name("out"), text("none")}), number(1)),
                        eq(call("elements", {name("x")}), number(1)),
                        eq(name("nobody"), number(1)),
                        eq(call("type", {name("nobody")}), number(1)),
                        make(Kind::Lt, {make(Kind::Div, {number(1), number(0)}), number(9)})};
  for (const ir::Expr& condition : unknown) {
    CHECK_FALSE(c.where(condition));
    CHECK_FALSE(c.where(negated(condition)));
    CHECK(c.where(make(Kind::Or, {condition, eq(number(1), number(1))})));
    CHECK_FALSE(c.where(negated(make(Kind::And, {condition, eq(number(1), number(1))}))));
    CHECK(c.where(negated(make(Kind::And, {condition, eq(number(1), number(2))}))));
  }
}

TEST_CASE("attributes are tested with the schema's defaults") {
  Conditions c;
  CHECK(c.attribute(eq(name("alpha"), real(0.1))));
  CHECK(c.attribute(eq(name("beta"), real(1))));
  CHECK(c.attribute(eq(name("transA"), number(0))));
  CHECK_FALSE(c.attribute(eq(name("transB"), number(1))));
  CHECK_FALSE(c.attribute(eq(name("nothing"), number(0))));
  CHECK(c.attribute(eq(name("mode"), text("linear"))));
  CHECK(c.attribute(eq(name("perm"), call("list", {number(0), number(2), number(1)}))));
  CHECK_FALSE(c.attribute(eq(name("perm"), call("list", {number(0), number(1), number(2)}))));
  CHECK(c.attribute(eq(name("perm"), make(Kind::Add, {number(1), number(1)}))) == false);
}

TEST_CASE("defaults follow the opset: Softmax's axis was 1 before 13") {
  for (const auto& [opset, axis] : {std::pair{11, 1}, {18, -1}}) {
    GraphBuilder g;
    g.module.opsets[""] = opset;
    g.result(g.value("Softmax", {g.input("x")}));
    PatternBuilder p;
    const auto out = p.made("out", {"Softmax"}, {p.captured("x")});
    p.node().attributes = {eq(name("axis"), number(axis))};
    addRule(g.module, "softmax", {p.results({out})});
    CHECK(matchedOps(g.module).size() == 1);
  }
}

TEST_CASE("a test of a constant sees every element") {
  const auto matches = [](std::initializer_list<double> elements, ir::Expr test) {
    GraphBuilder g;
    g.result(g.value("Mul", {g.input("x"), g.constant(elements)}));
    PatternBuilder p;
    const auto constant = p.constant();
    p.at(constant).constant.test = std::move(test);
    addRule(g.module, "scale", {p.results({p.made("out", {"Mul"}, {p.captured("x"), constant})})});
    return !matchedOps(g.module).empty();
  };
  const auto positive = make(Kind::Gt, {name("it"), number(0)});
  CHECK(matches({1, 2, 3}, positive));
  CHECK_FALSE(matches({1, -2, 3}, positive));
  CHECK_FALSE(matches({}, positive));  // unknown data
  CHECK(matches({1, 2}, eq(call("elements", {name("it")}), number(2))));
  // The infinities of a mask are near no number.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto masked = make(Kind::Lt, {name("it"), number(-1000)});
  CHECK(matches({-kInfinity}, masked));
  CHECK_FALSE(matches({kInfinity}, masked));
}

TEST_CASE("calls that do not fit the table of functions are unknown") {
  Conditions c;
  CHECK_FALSE(c.where(call("no_such_function", {name("x")})));
  CHECK_FALSE(c.where(call("rank", {})));
}
