#include "passes/timing/forwards_analysis.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/facets/bound.h"

namespace amdahlc {
namespace {

/// In each selected iteration, from the first to the last launch of an event that is bound. Empty if an iteration has
/// no such launch.
std::vector<ForwardSpan> spansOfBound(const Timeline& timeline, const ir::BoundFacet& facts) {
  // `host` is set where the iteration has a launch.
  std::vector<ForwardSpan> all(timeline.iterations.size());
  for (const ir::KernelBinding& kernel : facts.kernels)
    for (const ir::BoundEvent& bound : kernel.events) {
      if (timeline.hasDevice && timeline.host->launch[bound.event].isNone()) continue;
      ForwardSpan one = spanOf(timeline, {bound.event, bound.event});
      ForwardSpan& span = all[static_cast<size_t>(one.iteration)];
      const int64_t endNs = std::max(one.host->endNs, span.host ? span.host->endNs : INT64_MIN);
      if (!span.host || one.host->startNs < span.host->startNs) span = one;
      span.host->endNs = endNs;
    }
  std::vector<ForwardSpan> spans;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    if (!all[i].host) return {};
    spans.push_back(all[i]);
  }
  return spans;
}

/// The forwards of the model where the events of the run are bound to it, else the calls of the outermost module, else
/// whole iterations. nullopt where they are not known.
std::optional<std::vector<ForwardSpan>> spansOf(const ir::Module& module, const Timeline& timeline,
                                                const ir::BoundFacet& facts) {
  std::vector<ForwardSpan> spans;
  for (const ForwardExtent& forward : facts.forwards) spans.push_back(spanOf(timeline, forward));
  if (spans.empty() && !module.isRecorded() && facts.fit && facts.fit->fits && !facts.fit->namesOnly) {
    if (facts.fit->forwards > timeline.selectedIterationCount()) return std::nullopt;
    spans = spansOfBound(timeline, facts);
  }
  if (spans.empty()) spans = spansOfModule(timeline);
  if (spans.empty()) spans = spansOfIterations(timeline);
  return spans;
}

}  // namespace

ForwardsAnalysis::ForwardsAnalysis(const ir::Module& module, ir::CoverId id) {
  const ir::Cover& cover = module.cover(id);
  const Timeline* timeline = module.findTimeline(cover.traceLabel);
  if (timeline == nullptr || !timeline->host) return;
  const auto spans = spansOf(module, *timeline, *cover.facets.get<ir::BoundFacet>());
  if (spans) groups_.emplace(*timeline, *spans, classesByShapes(*timeline, *spans));
}

}  // namespace amdahlc
