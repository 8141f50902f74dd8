/// Small timed runs with tensors of chosen sizes.
#pragma once

#include <utility>
#include <vector>

#include "../kernel_graphs.h"
#include "ir/facets/timed.h"
#include "passes/liveness/liveness_analysis.h"

namespace amdahlc::testing {

/// As `boundModule`, with times: kernel i takes `durationsNs[i]`, in one iteration. Tensor `vi` has `floats[i]`
/// elements.
inline ir::Module timedModule(const std::vector<int64_t>& durationsNs,
                              const std::vector<std::pair<uint32_t, uint32_t>>& edges,
                              const std::vector<int64_t>& floats, const std::vector<uint32_t>& fedByInput = {0}) {
  ir::Module module = boundModule(durationsNs, edges, fedByInput);
  for (size_t i = 0; i < floats.size(); ++i)
    module.values[ir::ValueId(i + 1)].type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(floats[i])});
  ir::TimedFacet timed;
  timed.run.iterations = 1;
  for (const int64_t ns : durationsNs) timed.kernels.push_back({{ns}, ns, 0});
  module.covers.back().facets.set(std::move(timed));
  return module;
}

inline Liveness livenessOfRun(const ir::Module& module) {
  AnalysisManager analyses(module);
  return analyses.get<LivenessAnalysis>(ir::CoverId(module.covers.size() - 1)).liveness;
}

/// The tensor of a value with this name.
inline TensorId tensorNamed(const ir::Module& module, const Liveness& liveness, std::string_view name) {
  for (const TensorId id : liveness.tensors.ids())
    if (module.text(module.values[liveness.tensors[id].value].name) == name) return id;
  return {};
}

}  // namespace amdahlc::testing
