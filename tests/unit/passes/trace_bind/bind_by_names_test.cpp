#include <doctest/doctest.h>

#include "models.h"
#include "passes/trace_bind/bind_timeline.h"
#include "timelines.h"

namespace amdahlc::binding {
namespace {

using testing::Model;
using testing::Recorder;

/// The run, bound by rules that all say `evidence names`.
ir::BoundFacet bind(Model& model, const Timeline& timeline) {
  for (ir::Rule& rule : model.module.rules.rules) rule.namesOnly = true;
  const testing::ModelProgram built(model);
  const BoundRun bound = bindTimeline(built.graph, timeline);
  return *bound.cover->facets.get<ir::BoundFacet>();
}

std::vector<std::string> names(const Timeline& timeline, const ir::KernelBinding& kernel) {
  std::vector<std::string> result;
  for (const ir::BoundEvent& event : kernel.events) result.emplace_back(timeline.text(timeline.name[event.event]));
  return result;
}

TEST_CASE("kernels take the first launches that fit, in order of their ids and not of the trace") {
  Model model;
  model.inCover(model.candidate({model.node("Tanh")}, "tanh"));
  model.inCover(model.candidate({model.node("MatMul")}, "gemm"));
  model.inCover(model.candidate({model.node("MatMul")}, "gemm_b"));
  Recorder recorder;
  for (const char* kernel : {"gemm_a", "check", "gemm_b", "tanh", "gemm_c"})
    recorder.call({std::string("aten::") + kernel}, {kernel});
  const Timeline timeline = recorder.finish();
  const ir::BoundFacet facts = bind(model, timeline);
  CHECK(names(timeline, facts.kernels[ir::KernelId(0)]) == std::vector<std::string>{"tanh"});
  CHECK(names(timeline, facts.kernels[ir::KernelId(1)]) == std::vector<std::string>{"gemm_a"});
  CHECK(names(timeline, facts.kernels[ir::KernelId(2)]) == std::vector<std::string>{"gemm_b"});
  REQUIRE(facts.unbound.size() == 2);
  CHECK(facts.unbound[0].event == 1);
  CHECK(facts.unbound[1].event == 4);
  CHECK(facts.unbound[0].reason.kind == ir::UnboundReason::Kind::NoRule);
}

TEST_CASE("a launch is taken once, and a kernel finds none when all are taken") {
  Model model;
  model.inCover(model.candidate({model.node("MatMul")}, "gemm"));
  model.inCover(model.candidate({model.node("Gemm")}, "gemm"));
  model.inCover(model.candidate({model.node("Conv")}, "gemm"));
  Recorder recorder;
  for (int i = 0; i < 2; ++i) recorder.call({"aten::mm"}, {"gemm"});
  const ir::BoundFacet facts = bind(model, recorder.finish());
  CHECK(facts.kernels[ir::KernelId(0)].events.front().event == 0);
  CHECK(facts.kernels[ir::KernelId(1)].events.front().event == 1);
  CHECK(facts.kernels[ir::KernelId(2)].events.empty());
  CHECK(facts.unbound.empty());
}

TEST_CASE("each iteration is bound from the begin") {
  Model model;
  model.inCover(model.candidate({model.node("MatMul")}, "gemm"));
  Recorder recorder;
  for (int step = 0; step < 3; ++step) {
    const int64_t from = recorder.now();
    recorder.call({"aten::mm"}, {"gemm"});
    recorder.call({"aten::mm"}, {"gemm"});
    recorder.step("ProfilerStep#" + std::to_string(step), from);
  }
  const ir::BoundFacet facts = bind(model, recorder.finish());
  REQUIRE(facts.kernels[ir::KernelId(0)].events.size() == 3);
  CHECK(facts.kernels[ir::KernelId(0)].events[1].event == 2);
  CHECK(facts.unbound.size() == 3);
}

TEST_CASE("a rule without device work takes no launch") {
  Model model;
  model.inCover(model.candidate({model.node("Reshape")}, "gemm", true));
  model.inCover(model.candidate({model.node("MatMul")}, "gemm"));
  Recorder recorder;
  recorder.call({"aten::mm"}, {"gemm"});
  const ir::BoundFacet facts = bind(model, recorder.finish());
  CHECK(facts.kernels[ir::KernelId(0)].events.empty());
  CHECK(facts.kernels[ir::KernelId(1)].events.size() == 1);
}

}  // namespace
}  // namespace amdahlc::binding
