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
  std::vector<EventIndex> events;
  for (const ir::KernelBinding& kernel : facts.kernels)
    for (const ir::BoundEvent& bound : kernel.events) events.push_back(bound.event);
  const auto all = extentsByIteration(timeline, events);
  std::vector<ForwardExtent> extents;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    if (!all[i]) return {};
    extents.push_back(*all[i]);
  }
  return spansOf(timeline, extents);
}

/// The forwards of the model where the events of the run are bound to it, else the calls of the outermost module, else
/// whole iterations.
Known<std::vector<ForwardSpan>> spansOf(const ir::Module& module, const Timeline& timeline,
                                        const ir::BoundFacet& facts) {
  std::vector<ForwardSpan> spans = amdahlc::spansOf(timeline, facts.forwards);
  if (spans.empty() && !module.isRecorded() && facts.fit && facts.fit->fits && !facts.fit->namesOnly) {
    if (facts.fit->forwards > timeline.selectedIterationCount()) return Absence{Absence::Reason::ForwardsNotStated};
    spans = spansOfBound(timeline, facts);
  }
  if (spans.empty()) spans = spansOfModule(timeline);
  if (spans.empty()) spans = spansOfIterations(timeline);
  return spans;
}

Known<ForwardGroups> forwardsOf(const ir::Module& module, const ir::Cover& cover) {
  const Timeline* timeline = module.findTimeline(cover.traceLabel);
  if (timeline == nullptr || !timeline->host) return Absence{Absence::Reason::TraceNotGiven};
  const auto spans = spansOf(module, *timeline, *cover.facets.get<ir::BoundFacet>());
  if (!spans) return *spans.absence();
  return groupForwards(*timeline, *spans, classesByShapes(*timeline, *spans));
}

}  // namespace

ForwardsAnalysis::ForwardsAnalysis(const ir::Module& module, ir::CoverId cover)
    : groups_(forwardsOf(module, module.cover(cover))) {}

}  // namespace amdahlc
