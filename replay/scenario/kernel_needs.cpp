#include "replay/scenario/kernel_needs.h"

#include <utility>

namespace amdahlc {

schedule::MovedEvents movedEvents(const schedule::RunModel& model, const std::vector<KernelId>& owners,
                                  const KernelNeeds& needs, std::span<const KernelId> moved) {
  const Timeline& timeline = model.calls.timeline();
  IdVector<KernelId, bool> isMoved(needs.isKnown.size(), false);
  for (const KernelId kernel : moved) isMoved[kernel] = true;
  schedule::MovedEvents found{schedule::EventSet(timeline.size()), {}, schedule::EventSet(timeline.size())};
  // The last event of each kernel so far, with its iteration.
  IdVector<KernelId, std::pair<int32_t, EventIndex>> last(needs.isKnown.size(), {kNoIteration, kNoEvent});
  for (const schedule::Call& call : model.calls.calls())
    for (const EventIndex event : model.calls.launched(call)) {
      const KernelId kernel = owners[event];
      const int32_t iteration = timeline.iteration[event];
      if (kernel == kUnboundOwner || !needs.isKnown[kernel]) {
        found.unknown[event] = true;
        continue;
      }
      found.events[event] = isMoved[kernel];
      for (const KernelId need : needs.needs[kernel])
        // Outside of all iterations, a kernel without an event so far looks as one of no iteration.
        if (last[need].first == iteration && last[need].second != kNoEvent)
          found.needs[event].push_back(last[need].second);
      last[kernel] = {iteration, event};
    }
  return found;
}

}  // namespace amdahlc
