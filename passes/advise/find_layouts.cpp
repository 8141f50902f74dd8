// Kernels that only change the layout of images, because convolutions work in another one than the program: with
// images in the layout of the convolutions they vanish.

#include <fmt/format.h>

#include <set>

#include "ir/facets/bound.h"
#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "runs/kernel_families/kernel_families.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

struct LayoutTime {
  int64_t ns = 0, allNs = 0;
};

}  // namespace

void findLayouts(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const Timeline& timeline = run.timeline;
  const std::string_view remedy = run.remedy(Remedy::ChannelsLast);
  if (!timeline.hasDevice || remedy.empty()) return;
  const std::vector<ir::KernelId> owners = ir::eventOwners(timeline, *run.cover.facets.get<ir::BoundFacet>());
  IdVector<ir::KernelId, LayoutTime> times(run.cover.kernels.size());
  std::set<std::string_view> words;
  size_t events = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (owners[event] == kUnboundOwner || !run.reported.has(timeline.iteration[event])) continue;
    LayoutTime& time = times[owners[event]];
    time.allNs += timeline.durationNs[event];
    const std::string_view word = imageLayoutChange(timeline.text(timeline.name[event]));
    if (word.empty()) continue;
    words.insert(word);
    time.ns += timeline.durationNs[event];
    ++events;
  }
  AdviceCandidate candidate;
  ir::Change removed;
  removed.kind = ir::ChangeKind::Remove;
  int64_t ns = 0;
  bool areWhole = true;
  for (const ir::KernelId kernel : times.ids()) {
    const LayoutTime& time = times[kernel];
    if (time.ns == 0 || run.timeOf(kernel) == 0) continue;
    const double part = shareOf(time.ns, time.allNs);
    ns += static_cast<int64_t>(part * static_cast<double>(run.timeOf(kernel)));
    candidate.kernels.push_back(kernel);
    if (time.ns == time.allNs) {
      removed.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
    } else {
      areWhole = false;
      candidate.likely.push_back(run.newTime(kernel, (1 - part) * static_cast<double>(run.timeOf(kernel))));
    }
  }
  if (run.partOfBusy(ns) < kLeastShare) return;
  if (!removed.selectors.empty()) candidate.likely.push_back(std::move(removed));
  if (areWhole) candidate.selector = fmt::format("remove(/{}/)", fmt::join(words, "|"));
  candidate.change = fmt::format("keep images in the layout of the convolutions: {}", remedy);
  candidate.why =
      fmt::format("{} in {}, {} of busy time, only change the layout around convolutions", plural(events, "kernel"),
                  plural(run.reported.count(), "iteration"), formatPercent(run.partOfBusy(ns)));
  candidate.assumption = "nothing else needs the other layout, and all convolutions keep their time";
  candidate.places = run.placesOf(candidate.kernels);
  candidate.isCertain = true;
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
