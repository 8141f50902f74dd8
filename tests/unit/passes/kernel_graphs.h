/// Small timed covers for the tests of passes: one operator a kernel, one stream, kernels one after the other.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "../ids.h"
#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"

namespace amdahlc::testing {

using namespace ir::test;

/// Edges (from, to) between kernels 0..n-1 in topological order; kernels in `fedByInput` use the graph input `x`.
/// Kernel i runs for `durationsNs[i]` (0: no event), `gapNs` after the one before. The cover is named `run`, bound, not
/// timed.
inline ir::Module boundModule(const std::vector<int64_t>& durationsNs,
                              const std::vector<std::pair<uint32_t, uint32_t>>& edges,
                              const std::vector<uint32_t>& fedByInput = {0}, int64_t gapNs = 0) {
  ir::Module module;
  module.modelName = "test.onnx";
  const auto addValue = [&](std::string name, ir::Value::Kind kind, ir::OpId producer) {
    ir::Value value;
    value.name = module.strings.intern(name);
    value.kind = kind;
    value.producer = producer;
    value.type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(1)});
    return module.values.push_back(value);
  };
  ir::Graph graph;
  graph.name = module.strings.intern("main");
  const ir::ValueId input = addValue("x", ir::Value::Kind::Input, ir::kNone);
  graph.inputs = {input};
  std::vector<std::vector<uint32_t>> before(durationsNs.size());
  for (const auto& [from, to] : edges) before[to].push_back(from);
  std::vector<bool> isFed(durationsNs.size(), false);
  for (const uint32_t fed : fedByInput) isFed[fed] = true;
  std::vector<ir::ValueId> results;
  for (uint32_t i = 0; i < durationsNs.size(); ++i) {
    ir::Op op;
    op.type = module.strings.intern("Relu");
    op.name = module.strings.intern("n" + std::to_string(i));
    if (isFed[i]) op.inputs.push_back(input);
    for (const uint32_t from : before[i]) op.inputs.push_back(results[from]);
    results.push_back(addValue("v" + std::to_string(i), ir::Value::Kind::Result, ir::OpId(i)));
    op.outputs = {results.back()};
    module.ops.push_back(op);
    graph.order.emplace_back(i);
  }
  graph.outputs = {results.back()};
  module.graphs.push_back(graph);

  Timeline timeline;
  timeline.label = "run";
  timeline.iterations.push_back({"whole trace", std::nullopt, std::nullopt});
  timeline.tracks.push_back({"0", "7", true, ""});
  ir::KernelList kernels;
  for (uint32_t i = 0; i < durationsNs.size(); ++i) kernels.push_back({{}, std::nullopt, {ir::OpId(i)}});
  ir::Cover cover;
  cover.name = cover.traceLabel = "run";
  cover.kernels = *ir::numberKernels(module, ir::OperatorGraph(module), kernels);
  ir::BoundFacet bound;
  bound.kernels.resize(cover.kernels.size());
  int64_t nowNs = 1000;
  for (const ir::Kernel& kernel : cover.kernels) {
    const int64_t durationNs = durationsNs[kernel.anchor().index()];
    if (durationNs == 0) continue;
    bound.kernels[kernel.id].state = ir::KernelState::Bound;
    bound.kernels[kernel.id].events.push_back({static_cast<EventIndex>(timeline.size()), 1, 1000});
    timeline.kind.push_back(EventKind::Kernel);
    timeline.startNs.push_back(nowNs);
    timeline.durationNs.push_back(durationNs);
    timeline.name.push_back(timeline.strings.intern("kernel"));
    timeline.track.push_back(0);
    timeline.correlation.push_back(-1);
    timeline.iteration.push_back(0);
    timeline.factsIndex.push_back(kNoFacts);
    nowNs += durationNs + gapNs;
  }
  cover.facets.set(std::move(bound));
  module.timelines.push_back(std::move(timeline));
  module.covers.push_back(std::move(cover));
  return module;
}

inline ir::KernelBinding& bindingOf(ir::Module& module, ir::KernelId kernel) {
  return module.covers[0].facets.get<ir::BoundFacet>()->kernels[kernel];
}

/// Moves the event of a kernel so that it starts at `startNs`; the caller keeps events in order of start.
inline void startAt(ir::Module& module, ir::KernelId kernel, int64_t startNs) {
  module.timelines[0].startNs[bindingOf(module, kernel).events.front().event] = startNs;
}

}  // namespace amdahlc::testing
