#include "passes/trace_bind/choose_cover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

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
    if (!graph.admits(id) || std::ranges::any_of(ops, [&](ir::OpId op) { return alone[op]; })) excluded.push_back(id);
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
  cover.alternativeWith.assign(module.ops.size(), kNoAlternative);
  for (AlternativeId id = 0; id < cover.kernelOf.size(); ++id)
    if (cover.holds(id))
      for (const ir::OpId op : graph.alternatives()[id].ops) cover.alternativeWith[op] = id;
  return cover;
}

std::vector<std::string> describeDecisions(const ir::Module& module,
                                           const IdVector<ir::KernelId, ir::Kernel>& byDefault,
                                           const IdVector<ir::KernelId, ir::Kernel>& byTrace) {
  using Candidates = std::vector<ir::CandidateId>;
  std::map<uint32_t, std::pair<Candidates, Candidates>> byComponent;
  const auto collect = [&](const IdVector<ir::KernelId, ir::Kernel>& from, auto list) {
    for (const ir::Kernel& kernel : from)
      if (kernel.candidate)
        (byComponent[module.candidates[*kernel.candidate].component].*list).push_back(*kernel.candidate);
  };
  collect(byDefault, &std::pair<Candidates, Candidates>::first);
  collect(byTrace, &std::pair<Candidates, Candidates>::second);
  const auto names = [&](const Candidates& candidates) {
    std::vector<std::string> texts;
    for (const ir::CandidateId id : candidates)
      texts.push_back(
          fmt::format("`{}` at {}", module.ruleOf(id).name, module.displayName(module.candidates[id].anchor)));
    return texts.empty() ? std::string("none") : fmt::format("{}", fmt::join(texts, ", "));
  };
  std::vector<std::string> sentences;
  for (auto& [component, decision] : byComponent) {
    std::ranges::sort(decision.first);
    std::ranges::sort(decision.second);
    if (decision.first != decision.second)
      sentences.push_back(fmt::format("conflict component {}: the run used {} instead of {}", component,
                                      names(decision.second), names(decision.first)));
  }
  return sentences;
}

}  // namespace amdahlc::binding
