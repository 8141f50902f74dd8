#include "passes/trace_bind/choose_cover.h"

#include <algorithm>
#include <map>

#include "passes/fuse/cover_builder.h"

namespace amdahlc::binding {

std::optional<ChosenCover> chooseCover(const AlternativeGraph& graph, std::span<const AlternativeId> used) {
  const ir::Module& module = graph.module();
  std::vector<ir::CandidateId> preferred;
  IdVector<ir::OpId, bool> alone(module.ops.size(), false);
  for (const AlternativeId id : used) {
    const Alternative& alternative = graph.alternatives()[id];
    if (alternative.candidate != ir::kNone)
      preferred.push_back(alternative.candidate);
    else
      alone[alternative.anchor] = true;
  }
  std::vector<ir::CandidateId> excluded;
  for (const ir::CandidateId id : module.candidates.ids()) {
    const auto& ops = module.candidates[id].ops;
    if (!graph.admits(id) || std::any_of(ops.begin(), ops.end(), [&](ir::OpId op) { return alone[op]; }))
      excluded.push_back(id);
  }
  auto kernels = coverFromSelection(module, graph.operators(), preferred, excluded);
  if (!kernels) return std::nullopt;

  ChosenCover cover;
  cover.kernels = std::move(*kernels);
  IdVector<ir::CandidateId, ir::KernelId> ofCandidate(module.candidates.size());
  IdVector<ir::OpId, ir::KernelId> ofOp(module.ops.size());
  for (const ir::Kernel& kernel : cover.kernels) {
    if (kernel.candidate)
      ofCandidate[*kernel.candidate] = kernel.id;
    else
      ofOp[kernel.anchor()] = kernel.id;
  }
  for (const Alternative& alternative : graph.alternatives())
    cover.kernelOf.push_back(alternative.candidate.isNone() ? ofOp[alternative.anchor]
                                                            : ofCandidate[alternative.candidate]);
  return cover;
}

std::vector<Decision> decisions(const ir::Module& module, const IdVector<ir::KernelId, ir::Kernel>& byDefault,
                                const IdVector<ir::KernelId, ir::Kernel>& kernels) {
  std::map<uint32_t, Decision> byComponent;
  const auto collect = [&](const IdVector<ir::KernelId, ir::Kernel>& from,
                           std::vector<ir::CandidateId> Decision::* list) {
    for (const ir::Kernel& kernel : from)
      if (kernel.candidate)
        (byComponent[module.candidates[*kernel.candidate].component].*list).push_back(*kernel.candidate);
  };
  collect(byDefault, &Decision::byDefault);
  collect(kernels, &Decision::byTrace);
  std::vector<Decision> result;
  for (auto& [component, decision] : byComponent) {
    std::sort(decision.byDefault.begin(), decision.byDefault.end());
    std::sort(decision.byTrace.begin(), decision.byTrace.end());
    if (decision.byDefault == decision.byTrace) continue;
    decision.component = component;
    result.push_back(std::move(decision));
  }
  return result;
}

}  // namespace amdahlc::binding
