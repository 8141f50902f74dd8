#include <doctest/doctest.h>

#include "graph_and_rules.h"
#include "passes/fuse/choice_order.h"

using namespace amdahlc;
using namespace amdahlc::test;

namespace {

/// x -> Exp -> Neg -> Abs, with rules over parts of it.
GraphBuilder threeInARow() {
  GraphBuilder g;
  g.result(g.value("Abs", {g.value("Neg", {g.value("Exp", {g.input("x")})})}));
  return g;
}

void enumerateInto(ir::Module& module) { module.candidates = enumerate(module).candidates; }

std::vector<Ops> kernelOps(const std::optional<IdVector<ir::KernelId, ir::Kernel>>& kernels) {
  REQUIRE(kernels);
  std::vector<Ops> result;
  for (const ir::Kernel& kernel : *kernels) result.push_back(kernel.ops);
  return result;
}

Sets defaultCover(ir::Module& module) {
  enumerateInto(module);
  const ir::OperatorGraph graph(module);
  CoverBuilder builder(module, graph);
  builder.choose(ChoiceOrder(module, graph).candidates());
  return kernelOps(builder.kernels());
}

}  // namespace

TEST_CASE("the candidate that owns more operators is chosen first") {
  GraphBuilder g = threeInARow();
  addRule(g.module, "two", {chainPattern({{"Exp", 1}, {"Neg", 1}})});
  addRule(g.module, "three", {chainPattern({{"Exp", 1}, {"Neg", 1}, {"Abs", 1}})});
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{0, 1, 2}}));
}

TEST_CASE("priority counts before size, declaration before place") {
  GraphBuilder g = threeInARow();
  addRule(g.module, "three", {chainPattern({{"Exp", 1}, {"Neg", 1}, {"Abs", 1}})});
  addRule(g.module, "late", {chainPattern({{"Neg", 1}, {"Abs", 1}})});
  addRule(g.module, "early", {chainPattern({{"Exp", 1}, {"Neg", 1}})});
  g.module.rules.rules[1_rule].priority = g.module.rules.rules[2_rule].priority = 1;
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{0}, {1, 2}}));
}

TEST_CASE("of equal candidates the one with the earlier root is chosen first") {
  GraphBuilder g;
  auto value = g.input("x");
  for (int i = 0; i < 3; ++i) value = g.value("Exp", {value});
  g.result(value);
  addRule(g.module, "pair", {chainPattern({{"Exp", 1}, {"Exp", 1}})});
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{0, 1}, {2}}));
}

TEST_CASE("views do not count as owned, declared in the rule or for the module") {
  GraphBuilder g;
  const auto viewed = g.value("Transpose", {g.value("Reshape", {g.input("x"), g.constant({})})});
  g.result(g.value("Relu", {g.value("Neg", {viewed})}));
  addRule(g.module, "wide", {chainPattern({{"Reshape", 2}, {"Transpose", 1}, {"Neg", 1}})});
  addRule(g.module, "narrow", {chainPattern({{"Neg", 1}, {"Relu", 1}})});
  g.module.rules.addViews({}, {{"", "Reshape"}, {"", "Transpose"}});
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{0}, {1}, {2, 3}}));
  CHECK(g.module.candidates[0_candidate].owned == 1);
  CHECK(g.module.candidates[0_candidate].anchor == 2_op);
}

TEST_CASE("candidates that share operators are one component, directly or through others") {
  GraphBuilder g = threeInARow();
  g.result(g.value("Exp", {g.input("y")}));
  addRule(g.module, "front", {chainPattern({{"Exp", 1}, {"Neg", 1}})});
  addRule(g.module, "back", {chainPattern({{"Neg", 1}, {"Abs", 1}})});
  addRule(g.module, "exp", {chainPattern({{"Exp", 1}})});
  enumerateInto(g.module);
  REQUIRE(g.module.candidates.size() == 4);
  std::vector<uint32_t> components;
  for (const ir::Candidate& candidate : g.module.candidates) components.push_back(candidate.component);
  CHECK(components == std::vector<uint32_t>{0, 0, 0, 1});
}

TEST_CASE("a possible preference is chosen first, then the documented order applies") {
  GraphBuilder g = threeInARow();
  addRule(g.module, "three", {chainPattern({{"Exp", 1}, {"Neg", 1}, {"Abs", 1}})});
  addRule(g.module, "back", {chainPattern({{"Neg", 1}, {"Abs", 1}})});
  addRule(g.module, "exp", {chainPattern({{"Exp", 1}})});
  enumerateInto(g.module);
  const ir::OperatorGraph graph(g.module);
  const ir::CandidateId back(1);
  CHECK(kernelOps(coverFromSelection(g.module, graph, {&back, 1})) == idLists<ir::OpId>({{0}, {1, 2}}));
  CHECK(kernelOps(coverFromSelection(g.module, graph, {})) == idLists<ir::OpId>({{0, 1, 2}}));
  const ir::CandidateId excluded[] = {0_candidate, 1_candidate};
  const auto kernels = coverFromSelection(g.module, graph, {}, excluded);
  REQUIRE(kernels->size() == 3);
  CHECK((*kernels)[0_kernel].candidate == 2_candidate);
  CHECK_FALSE((*kernels)[1_kernel].candidate);
}

TEST_CASE("of two matches that are convex but cyclic together, the first is chosen") {
  GraphBuilder g;
  const auto x = g.input("x");
  const auto a = g.value("Exp", {x});
  const auto b = g.value("Tanh", {x});
  g.result(g.value("Sub", {b, x}));
  g.result(g.value("Div", {a, x}));
  const auto beside = [](const char* first, const char* second) {
    PatternBuilder p;
    const auto x = p.captured("x");
    const auto made = p.made("first", {first}, {x});
    return p.results({made, p.made("second", {second}, {p.captured("y"), x})});
  };
  addRule(g.module, "left", {beside("Exp", "Sub")});
  addRule(g.module, "right", {beside("Tanh", "Div")});
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{1}, {0, 2}, {3}}));
  CHECK(g.module.candidates.size() == 2);
  CHECK(g.module.candidates[0_candidate].component != g.module.candidates[1_candidate].component);
}

TEST_CASE("a candidate that would close a cycle is left out") {
  // Candidates by hand: {0, 2} and {1, 3}, each convex, together a cycle.
  GraphBuilder g;
  const auto x = g.input("x");
  const auto a = g.value("Exp", {x});
  const auto b = g.value("Tanh", {x});
  g.result(g.value("Neg", {b}));
  g.result(g.value("Abs", {a}));
  addRule(g.module, "crossing", {chainPattern({{"Exp", 1}})});
  for (const Ops& ops : idLists<ir::OpId>({{0, 2}, {1, 3}})) {
    ir::Candidate candidate;
    candidate.rule = 0_rule;
    candidate.ops = ops;
    candidate.root = ops.back();
    candidate.anchor = ops.front();
    candidate.owned = 2;
    g.module.candidates.push_back(candidate);
  }
  const ir::OperatorGraph graph(g.module);
  CoverBuilder builder(g.module, graph);
  builder.choose(ChoiceOrder(g.module, graph).candidates());
  CHECK(builder.decision(0_candidate).choice == Choice::Chosen);
  CHECK(builder.decision(1_candidate).choice == Choice::Cycle);
  CHECK(kernelOps(builder.kernels()) == idLists<ir::OpId>({{1}, {0, 2}, {3}}));
}

TEST_CASE("recomputed operators are in several kernels, each of which is complete") {
  GraphBuilder g;
  const auto mask = g.value("Where", {g.input("m"), g.constant({0}), g.constant({1})});
  for (int i = 0; i < 2; ++i) g.result(g.value("Softmax", {g.value("Add", {g.input("s" + std::to_string(i)), mask})}));
  PatternBuilder p;
  const auto masked = p.made("mask", {"Where"}, {p.captured("m"), p.any(), p.any()});
  p.at(masked).shared = true;
  const auto sum = p.made("sum", {"Add"}, {p.captured("s"), masked});
  addRule(g.module, "masked-softmax", {p.results({p.made("out", {"Softmax"}, {sum})})});
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{0, 1, 2}, {3}, {4}}));
  g.module.rules.rules[0_rule].recompute = true;
  CHECK(defaultCover(g.module) == idLists<ir::OpId>({{0, 1, 2}, {0, 3, 4}}));
}
