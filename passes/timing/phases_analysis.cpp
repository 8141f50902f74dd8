#include "passes/timing/phases_analysis.h"

#include <algorithm>

#include "ir/facets/bound.h"

namespace amdahlc {

PhasesAnalysis::PhasesAnalysis(const ir::Module& module, ir::CoverId id) {
  const ir::Cover& cover = module.cover(id);
  ofKernel_.resize(cover.kernels.size());
  const Timeline* timeline = module.findTimeline(cover.traceLabel);
  if (timeline == nullptr || !timeline->host) return;
  phases_.emplace(*timeline);
  times_ = phaseTimes(*timeline, *phases_);
  const ir::BoundFacet& facts = *cover.facets.get<ir::BoundFacet>();
  for (const ir::Kernel& kernel : cover.kernels) {
    std::array<int64_t, kPhaseCount> ns = {};
    for (const ir::BoundEvent& bound : facts.kernels[kernel.id].events)
      ns[static_cast<size_t>(phases_->of(bound.event))] += timeline->durationNs[bound.event];
    if (!facts.kernels[kernel.id].events.empty())
      ofKernel_[kernel.id] = static_cast<Phase>(std::ranges::max_element(ns) - ns.begin());
  }
}

}  // namespace amdahlc
