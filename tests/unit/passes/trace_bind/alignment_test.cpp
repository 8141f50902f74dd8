#include "passes/trace_bind/align.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "../../ids.h"
#include "passes/trace_bind/search_state.h"
#include "timelines.h"

namespace amdahlc::binding {
namespace {

using testing::Recorder;
using namespace ir::test;

/// `layers` times MatMul with a weight, then Tanh, one rule for each; every candidate is one operator.
struct Chain {
  explicit Chain(size_t layers) {
    module.opsets[""] = 18;
    module.graphs.emplace_back();
    ir::Graph& graph = module.graphs[0_graph];
    ir::ValueId last = value(ir::Value::Kind::Input, "x");
    graph.inputs.push_back(last);
    for (size_t i = 0; i < layers; ++i) {
      const ir::ValueId weight = value(ir::Value::Kind::Constant, "w" + std::to_string(i));
      last = op("MatMul", {last, weight}, "m" + std::to_string(i));
      last = op("Tanh", {last}, "t" + std::to_string(i));
    }
    graph.outputs.push_back(last);
    for (const char* type : {"MatMul", "Tanh"}) {
      ir::Rule rule;
      rule.name = type;
      ir::LaunchSequence sequence;
      ir::Expr test;
      test.kind = ir::Expr::Kind::Regex;
      test.text = type[0] == 'M' ? "gemm" : "tanh";
      sequence.steps.push_back({test, 1, 1});
      rule.launches.push_back(sequence);
      module.rules.rules.push_back(rule);
    }
    cover.name = "default";
    for (const ir::OpId id : module.ops.ids()) {
      ir::Candidate candidate;
      candidate.rule = ir::RuleId(id.index() % 2);
      candidate.root = candidate.anchor = id;
      candidate.ops = {id};
      candidate.owned = 1;
      candidate.component = id.index();
      ir::Kernel kernel;
      kernel.id = ir::KernelId(id.index());
      kernel.candidate = module.candidates.push_back(candidate);
      kernel.ops = {id};
      cover.kernels.push_back(kernel);
    }
  }
  ir::ValueId value(ir::Value::Kind kind, const std::string& name, ir::OpId producer = ir::kNone) {
    ir::Value made;
    made.kind = kind;
    made.name = module.strings.intern(name);
    made.producer = producer;
    made.type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(8), ir::Dim::of(8)});
    return module.values.push_back(made);
  }
  ir::ValueId op(const char* type, std::vector<ir::ValueId> inputs, const std::string& output) {
    const auto id = ir::OpId(module.ops.size());
    ir::Op made;
    made.type = module.strings.intern(type);
    made.inputs = std::move(inputs);
    made.outputs = {value(ir::Value::Kind::Result, output, id)};
    module.ops.push_back(made);
    module.graphs[0_graph].order.push_back(id);
    return module.ops.back().outputs[0];
  }
  Alignment alignTo(const Timeline& timeline, size_t beamWidth = 32) {
    const Launches launches(timeline);
    RuleLaunches rules(module.rules, launches, IdVector<ir::RuleId, bool>(module.rules.rules.size(), true));
    const ir::OperatorGraph operators(module);
    const AlternativeGraph graph(module, operators, cover);
    const FrameScopes frames(graph, cover, OrderKind::Model, launches, rules);
    Scorer scorer(graph, launches, rules, frames);
    Alignment alignment = align(graph, scorer, launches, launches.launches(0), {beamWidth, OrderKind::Model, nullptr});
    for (const LaunchBinding& binding : alignment.bindings)
      bound.push_back(binding.alternative == kNoAlternative
                          ? -1
                          : static_cast<int>(graph.alternatives()[binding.alternative].anchor.index()));
    return alignment;
  }
  ir::Module module;
  ir::Cover cover;
  /// Operator by launch; -1: none.
  std::vector<int> bound;
};

void record(Recorder& recorder, const std::vector<std::string>& kernels) {
  for (const std::string& kernel : kernels) recorder.call({"aten::" + kernel}, {kernel});
}

TEST_CASE("launches are bound one for one in the order of the graph") {
  Chain chain(2);
  Recorder recorder;
  record(recorder, {"gemm", "tanh", "gemm", "tanh"});
  const Alignment alignment = chain.alignTo(recorder.finish());
  CHECK(chain.bound == std::vector<int>{0, 1, 2, 3});
  CHECK(alignment.asExpected);
  CHECK(alignment.used.size() == 4);
}

TEST_CASE("a launch that no operator explains is left out without shifting its neighbours") {
  Chain chain(2);
  Recorder recorder;
  record(recorder, {"gemm", "check", "tanh", "gemm", "tanh"});
  const Alignment alignment = chain.alignTo(recorder.finish());
  CHECK(chain.bound == std::vector<int>{0, -1, 1, 2, 3});
  CHECK_FALSE(alignment.asExpected);
}

TEST_CASE("an operator that launched nothing is skipped") {
  Chain chain(3);
  Recorder recorder;
  record(recorder, {"gemm", "tanh", "gemm", "gemm", "tanh"});
  chain.alignTo(recorder.finish());
  CHECK(chain.bound == std::vector<int>{0, 1, 2, 4, 5});
}

TEST_CASE("one event serves one kernel: more launches than operators stay unbound") {
  Chain chain(1);
  Recorder recorder;
  record(recorder, {"gemm", "tanh", "gemm", "tanh"});
  chain.alignTo(recorder.finish());
  CHECK(std::count(chain.bound.begin(), chain.bound.end(), -1) == 2);
  CHECK(std::count(chain.bound.begin(), chain.bound.end(), 0) == 1);
  CHECK(std::count(chain.bound.begin(), chain.bound.end(), 1) == 1);
}

TEST_CASE("a beam of one suffices without ambiguity, and work grows with the launches only") {
  const auto expanded = [](size_t layers) {
    Chain chain(layers);
    Recorder recorder;
    for (size_t i = 0; i < layers; ++i) record(recorder, {"gemm", "tanh"});
    const Alignment alignment = chain.alignTo(recorder.finish(), 1);
    CHECK(alignment.asExpected);
    return alignment.statesExpanded;
  };
  CHECK(expanded(50) == 100);
  CHECK(expanded(200) == 400);
}

TEST_CASE("equal content has an equal hash, however it came about") {
  StatusMap a(2000), b(2000);
  a.set(3_op, OpStatus::Claimed);
  a.set(1500_op, OpStatus::Skipped);
  b.set(1500_op, OpStatus::Claimed);
  b.set(1500_op, OpStatus::Skipped);
  const StatusMap copy = b;
  b.set(3_op, OpStatus::Claimed);
  CHECK(a.hash() == b.hash());
  CHECK(copy.hash() != b.hash());
  CHECK(copy[3_op] == OpStatus::Open);
  b.set(3_op, OpStatus::Open);
  CHECK(copy.hash() == b.hash());
}

}  // namespace
}  // namespace amdahlc::binding
