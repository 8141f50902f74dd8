#include "ir/expression/expression.h"

#include <doctest/doctest.h>

#include "expressions.h"

namespace amdahlc::expression {
namespace {

using Kind = ir::Expr::Kind;
using test::call;
using test::make;
using test::name;
using test::number;
using test::real;
using test::regex;
using enum Truth;

/// A launch of which grid.x, registers and the kernel's name are known.
LaunchLeaves launch() {
  LaunchLeaves launch;
  launch.kernelName = "ampere_gemm_64x64";
  launch.facts.grid[0] = 7;
  launch.facts.registers = 32;
  return launch;
}

Truth truthOf(const ir::Expr& test) {
  const LaunchLeaves leaves = launch();
  return Expression(test, Context::Kernel).truth({.launch = &leaves});
}

ir::Expr eq(ir::Expr a, ir::Expr b) { return make(Kind::Eq, {std::move(a), std::move(b)}); }
ir::Expr negated(ir::Expr a) { return make(Kind::Not, {std::move(a)}); }

const ir::Expr kTrue = eq(number(1), number(1));
const ir::Expr kFalse = eq(number(1), number(2));
const ir::Expr kUnknown = eq(name("shared_memory"), number(0));

}  // namespace

TEST_CASE("arithmetic means the same in every context: 7 / 2 is 3.5") {
  const ir::Expr half = make(Kind::Div, {number(7), number(2)});
  const LaunchLeaves leaves = launch();
  for (const Context context : kContexts) {
    CAPTURE(describe(context));
    CHECK(Expression(eq(half, real(3.5)), context).holds({.launch = &leaves}));
    CHECK(Expression(eq(half, number(3)), context).truth({.launch = &leaves}) == False);
  }
  CHECK(truthOf(eq(make(Kind::Div, {name("grid.x"), number(2)}), real(3.5))) == True);
}

TEST_CASE("a member that is unknown leaves the others to decide") {
  CHECK(truthOf(make(Kind::In, {name("grid.x"), name("shared_memory"), number(7)})) == True);
  CHECK(truthOf(make(Kind::In, {name("grid.x"), name("shared_memory"), number(3)})) == Unknown);
  CHECK(truthOf(make(Kind::In, {name("grid.x"), number(1), number(3)})) == False);
  CHECK(truthOf(make(Kind::In, {name("shared_memory"), number(1), number(3)})) == Unknown);
  CHECK(truthOf(make(Kind::In, {number(1)})) == False);
}

TEST_CASE("connectives decide as soon as one side suffices") {
  CHECK(truthOf(make(Kind::And, {kUnknown, kFalse})) == False);
  CHECK(truthOf(make(Kind::And, {kUnknown, kTrue})) == Unknown);
  CHECK(truthOf(make(Kind::Or, {kUnknown, kTrue})) == True);
  CHECK(truthOf(make(Kind::Or, {kUnknown, kFalse})) == Unknown);
  CHECK(truthOf(negated(kUnknown)) == Unknown);
  CHECK(truthOf(make(Kind::And, {})) == True);
  CHECK(truthOf(make(Kind::Or, {})) == False);
}

TEST_CASE("a regular expression alone tests the kernel's name, compared with a string it tests the string") {
  CHECK(truthOf(regex("gemm_[0-9]+x")) == True);
  CHECK(truthOf(negated(regex("splitK"))) == True);
  CHECK(truthOf(eq(name("kind"), regex("^ker"))) == True);
  CHECK(truthOf(make(Kind::In, {name("kind"), regex("^copy$"), regex("^set$")})) == False);
  CHECK(truthOf(regex("(")) == Unknown);
  CHECK(Expression(regex("gemm"), Context::Where).truth({}) == Unknown);
}

TEST_CASE("an unresolved name is unknown, and the rest of the expression is evaluated") {
  CHECK(truthOf(call("no_such_function", {})) == Unknown);
  CHECK(truthOf(call("rank", {name("x")})) == Unknown);
  CHECK(truthOf(eq(name("no.such.fact"), number(1))) == Unknown);
  CHECK(truthOf(make(Kind::Or, {call("rank", {}), kTrue})) == True);
}

TEST_CASE("facts of extents and volumes come from the launch") {
  CHECK(truthOf(eq(name("grid.x"), number(7))) == True);
  CHECK(truthOf(eq(name("grid"), number(7))) == Unknown);
  LaunchLeaves leaves = launch();
  for (const size_t axis : {1, 2}) leaves.facts.grid[axis] = 2;
  CHECK(Expression(eq(name("grid"), number(28)), Context::Kernel).holds({.launch = &leaves}));
  CHECK(Expression(eq(name("grid.z"), number(2)), Context::Kernel).holds({.launch = &leaves}));
  CHECK(Expression(eq(name("registers"), number(32)), Context::Kernel).holds({.launch = &leaves}));
  CHECK(Expression(eq(name("kind"), test::text("kernel")), Context::Kernel).holds({.launch = &leaves}));
}

}  // namespace amdahlc::expression
