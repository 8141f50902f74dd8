#include "passes/trace_bind/kernel_test.h"

#include <doctest/doctest.h>

#include "ir/applicability.h"
#include "tests/unit/ir/expression/expressions.h"
#include "timelines.h"

namespace amdahlc::binding {
namespace {

using ir::Expr;
using test::make;
using test::name;
using test::number;
using test::real;
using test::regex;
using testing::Recorder;

ir::KernelStep step(std::string text, uint32_t min = 1, uint32_t max = 1) { return {regex(std::move(text)), min, max}; }

/// A rule set of one rule with one launch sequence.
ir::RuleSet oneRule(std::vector<ir::KernelStep> steps, std::vector<std::string> operators = {}, bool anyOrder = false) {
  ir::RuleSet rules;
  rules.rules.emplace_back();
  ir::LaunchSequence sequence;
  sequence.steps = std::move(steps);
  sequence.operators = std::move(operators);
  sequence.anyOrder = anyOrder;
  rules.rules.front().launches.push_back(std::move(sequence));
  return rules;
}

struct Run {
  Run(Recorder& recorder, ir::RuleSet rules)
      : ruleSet(std::move(rules)),
        timeline(recorder.finish()),
        launches(timeline),
        rules(ruleSet, launches, IdVector<ir::RuleId, bool>(ruleSet.rules.size(), true)) {}
  LaunchMatch match(size_t position) { return rules.match(ir::RuleId(0), launches.launches(0), position); }
  ir::RuleSet ruleSet;
  Timeline timeline;
  Launches launches;
  RuleLaunches rules;
};

TEST_CASE("an unknown test does not hold, and neither does its negation") {
  Timeline timeline;
  LaunchSignature signature;
  signature.name = timeline.strings.intern("gemm_64x64");
  signature.facts.grid[0] = 12;
  signature.facts.block[0] = 7;
  using Kind = Expr::Kind;
  const auto holds = [&](const Expr& test) { return KernelTest(test).holds(signature, timeline); };
  const auto negated = [](const Expr& test) { return make(Kind::Not, {test}); };
  const Expr registers = make(Kind::Gt, {name("registers"), number(32)});
  CHECK_FALSE(holds(registers));
  CHECK_FALSE(holds(negated(registers)));
  CHECK(holds(make(Kind::Or, {registers, regex("64x64")})));
  CHECK(holds(make(Kind::And, {regex("gemm"), negated(regex("reduce"))})));
  CHECK(holds(make(Kind::Eq, {name("grid.x"), number(12)})));
  CHECK_FALSE(holds(make(Kind::Eq, {name("grid"), number(12)})));
  CHECK(holds(make(Kind::Eq, {name("kind"), test::text("kernel")})));
  CHECK_FALSE(holds(make(Kind::Eq, {name("kind"), test::text("copy")})));

  // A launch fact that was not recorded leaves the other members to decide.
  const Expr amongKnown = make(Kind::In, {name("grid.x"), name("registers"), number(12)});
  CHECK(holds(amongKnown));
  const Expr amongUnknown = make(Kind::In, {name("grid.x"), name("registers"), number(3)});
  CHECK_FALSE(holds(amongUnknown));
  CHECK_FALSE(holds(negated(amongUnknown)));
}

TEST_CASE("arithmetic over launch facts is that of conditions: 7 / 2 is 3.5") {
  Timeline timeline;
  LaunchSignature signature;
  signature.name = timeline.strings.intern("gemm");
  signature.facts.grid[0] = 7;
  using Kind = Expr::Kind;
  const auto holds = [&](const Expr& test) { return KernelTest(test).holds(signature, timeline); };
  const Expr half = make(Kind::Div, {name("grid.x"), number(2)});
  CHECK(holds(make(Kind::Eq, {half, real(3.5)})));
  CHECK_FALSE(holds(make(Kind::Eq, {half, number(3)})));
}

TEST_CASE("a test that passes for every name is not selective") {
  CHECK(KernelTest(regex(".")).acceptsAnything());
  CHECK_FALSE(KernelTest(regex("gemm|cutlass")).acceptsAnything());
  CHECK_FALSE(KernelTest(make(Expr::Kind::Eq, {name("kind"), test::text("set")})).acceptsAnything());
}

TEST_CASE("targets are compared without case, and architectures with a plus by their order") {
  CHECK(ir::applies({{}, {"NVIDIA"}, {"sm_80+"}}, {"pytorch", "nvidia", "sm_90", ""}));
  CHECK_FALSE(ir::applies({{}, {}, {"sm_80+"}}, {"", "", "sm_75", ""}));
  CHECK_FALSE(ir::applies({{}, {}, {"sm_80"}}, {"", "", "sm_90", ""}));
  CHECK_FALSE(ir::applies({{}, {"amd"}, {}}, {"pytorch", "nvidia", "", ""}));
  CHECK(ir::applies({{}, {"amd"}, {}}, {"pytorch", "", "", ""}));
}

TEST_CASE("a sequence takes the launches of one call, in order and number") {
  Recorder recorder;
  recorder.call({"aten::mm"}, {"memset", "gemm", "reduce", "reduce"});
  recorder.call({"aten::mm"}, {"gemm"});
  Run run(recorder, oneRule({step("memset", 0, 1), step("gemm"), step("reduce", 0, 0)}, {"aten::mm"}));
  CHECK(run.match(0).fit == Fit::Full);
  CHECK(run.match(0).length == 4);
  CHECK(run.match(1).length == 3);
  CHECK(run.match(4).length == 1);
  CHECK(run.match(2).fit == Fit::OperatorOnly);
}

TEST_CASE("a repetition leaves the launch that the next step needs") {
  Recorder recorder;
  recorder.call({"aten::sdpa"}, {"copy", "fill", "flash", "copy"});
  Run run(recorder, oneRule({step(".", 0, 0), step("flash"), step(".", 0, 0)}, {"aten::sdpa"}));
  CHECK(run.match(0).fit == Fit::Full);
  CHECK(run.match(0).length == 4);
}

TEST_CASE("a set takes its launches in any order") {
  Recorder recorder;
  recorder.call({"aten::conv2d"}, {"layout", "product", "layout"});
  Run run(recorder, oneRule({step("product"), step("layout", 0, 0)}, {"aten::conv2d"}, true));
  CHECK(run.match(0).length == 3);
  CHECK(run.match(2).fit == Fit::OperatorOnly);
}

TEST_CASE("a launch of an operator that the rule does not name does not fit") {
  Recorder recorder;
  recorder.call({"aten::bmm"}, {"gemm"});
  Run run(recorder, oneRule({step("gemm")}, {"aten::addmm"}));
  CHECK(run.match(0).fit == Fit::None);
  CHECK(run.rules.startable(run.launches.launches(0)[0].signature).empty());
}

}  // namespace
}  // namespace amdahlc::binding
