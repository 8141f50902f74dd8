#include <doctest/doctest.h>

#include "graph_and_rules.h"
#include "passes/manager/pass.h"

namespace amdahlc {
std::unique_ptr<Pass> makeFusePass();
}

using namespace amdahlc;
using namespace amdahlc::test;

namespace {

struct Run {
  explicit Run(ir::Module& module, std::string_view option = {}, std::string_view value = {})
      : analyses(module), context(diagnostics, analyses) {
    context.setWantedRemarks(7, [&](RemarkKind kind, Location location, std::string message) {
      remarks.push_back({kind, std::get<OnnxLocation>(location).node, std::move(message)});
    });
    for (PassOption& offered : pass->options()) {
      if (offered.name == option) offered.set(value);
    }
    result = pass->run(module, context);
  }
  int64_t statistic(std::string_view name) const {
    for (const auto& statistic : pass->statistics()) {
      if (statistic->name == name) return statistic->value;
    }
    return -1;
  }
  std::vector<std::string> remarksOf(RemarkKind kind) const {
    std::vector<std::string> texts;
    for (const auto& [is, node, message] : remarks) {
      if (is == kind) texts.push_back(node + ": " + message);
    }
    return texts;
  }
  DiagnosticEngine diagnostics;
  AnalysisManager analyses;
  PassContext context;
  std::unique_ptr<Pass> pass = makeFusePass();
  PassResult result;
  std::vector<std::tuple<RemarkKind, std::string, std::string>> remarks;
};

GraphBuilder linear() {
  GraphBuilder g;
  const auto product = g.value("MatMul", {g.input("x"), g.constant({})});
  g.result(g.value("Tanh", {g.value("Add", {product, g.constant({})})}));
  addRule(g.module, "matmul", {chainPattern({{"MatMul", 2}})});
  addRule(g.module, "linear", {chainPattern({{"MatMul", 2}, {"Add", 2}})});
  addRule(g.module, "add-relu", {chainPattern({{"Add", 2}, {"Relu", 1}})});
  return g;
}

}  // namespace

TEST_CASE("fuse adds candidates and the default cover, and counts what it did") {
  GraphBuilder g = linear();
  const Run run(g.module);
  CHECK(run.result.kind == PassResult::Kind::Changed);
  CHECK(g.module.has(ir::Facet::Fused));
  REQUIRE(g.module.covers.size() == 1);
  CHECK(g.module.covers[0].name == "default");
  REQUIRE(g.module.covers[0].kernels.size() == 2);
  CHECK(g.module.covers[0].kernels[0_kernel].ops == ids<ir::OpId>({0, 1}));
  CHECK(g.module.covers[0].kernels[0_kernel].candidate == 1_candidate);
  CHECK_FALSE(g.module.covers[0].kernels[1_kernel].candidate);
  CHECK(run.statistic("match-attempts") == 2);
  CHECK(run.statistic("candidates") == 2);
  CHECK(run.statistic("kernels") == 2);
  CHECK(run.statistic("operators-covered") == 2);
  CHECK(run.statistic("truncated-roots") == 0);
}

TEST_CASE("a module that is fused already is left alone") {
  GraphBuilder g = linear();
  const Run first(g.module);
  const auto candidates = g.module.candidates;
  g.module.rules.rules.resize(g.module.rules.rules.size() - 1);
  const Run second(g.module);
  CHECK(second.result.kind == PassResult::Kind::Unchanged);
  CHECK(g.module.candidates == candidates);
  CHECK(second.remarks.empty());
}

TEST_CASE("without rules every operator is a kernel of its own") {
  GraphBuilder g = linear();
  g.module.rules = {};
  const Run run(g.module);
  CHECK(g.module.covers[0].kernels.size() == 3);
  CHECK(run.remarksOf(RemarkKind::Missed)[0] ==
        "n0: no kernel for `n0` (MatMul): no active rule reaches this `MatMul`");
}

TEST_CASE("remarks report kernels, operators without one, and reasons") {
  GraphBuilder g = linear();
  const Run run(g.module);
  CHECK(run.remarksOf(RemarkKind::Passed) ==
        std::vector<std::string>{"n0: kernel 0: rule `linear` takes 2 operators: `n0`, `n1`"});
  CHECK(run.remarksOf(RemarkKind::Analysis) ==
        std::vector<std::string>{"n0: candidate 0 of rule `matmul` over `n0` is not chosen: `n0` is in the kernel of "
                                 "rule `linear`, which owns 2 operators over 1"});
  CHECK(run.remarksOf(RemarkKind::Missed) ==
        std::vector<std::string>{"n0: rule `matmul` has 1 candidate and no kernel: `n0` is in the kernel of rule "
                                 "`linear`, which owns 2 operators over 1",
                                 "n2: no kernel for `n2` (Tanh): no active rule reaches this `Tanh`"});
}

TEST_CASE("rules for other targets than the known ones are not matched") {
  GraphBuilder g = linear();
  for (ir::Rule& rule : g.module.rules.rules) rule.where.vendors = {"NVIDIA"};
  g.module.rules.rules[0_rule].where.archs = {"sm_80+"};
  const auto candidatesFor = [&](std::string vendor, std::string arch) {
    g.module.target.vendor = std::move(vendor);
    g.module.target.arch = std::move(arch);
    return enumerate(g.module).candidates.size();
  };
  CHECK(candidatesFor("", "") == 2);
  CHECK(candidatesFor("nvidia", "") == 2);
  CHECK(candidatesFor("nvidia", "sm_90") == 2);
  CHECK(candidatesFor("nvidia", "sm_75") == 1);
  CHECK(candidatesFor("amd", "gfx942") == 0);
  Timeline timeline;
  timeline.target.vendor = "nvidia";
  g.module.timelines.push_back(std::move(timeline));
  CHECK(candidatesFor("amd", "gfx942") == 2);  // a second run on another device keeps its rules
}

TEST_CASE("a truncated enumeration is a data problem") {
  GraphBuilder g;
  auto value = g.input("x");
  for (int i = 0; i < 4; ++i) value = g.value("Identity", {value});
  g.result(value);
  PatternBuilder p;
  const auto out = p.made("out", {"Identity"}, {p.captured("x")});
  p.node().max = 0;
  addRule(g.module, "chain", {p.results({out})});
  const Run run(g.module, "max-matches-per-root", "2");
  CHECK(run.statistic("truncated-roots") == 2);
  CHECK(g.module.truncatedRoots == 2);
  REQUIRE(g.module.dataProblems.size() == 1);
  CHECK(g.module.dataProblems[0].name == "truncated-matches");
  CHECK(g.module.dataProblems[0].count == 2);
}

TEST_CASE("kernels inside a region follow the operator that owns it") {
  GraphBuilder g;
  const auto branch = g.op("If", {g.input("c")});
  g.enter(branch, "then_branch");
  g.result(g.value("Neg", {g.value("Exp", {g.input("x")})}));
  g.leave();
  g.result(g.out(branch));
  addRule(g.module, "exp-neg", {chainPattern({{"Exp", 1}, {"Neg", 1}})});
  const Run run(g.module);
  const auto& kernels = g.module.covers[0].kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0_kernel].ops == ids<ir::OpId>({0}));
  CHECK(kernels[1_kernel].ops == ids<ir::OpId>({1, 2}));
}
