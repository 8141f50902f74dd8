// Copies between host and device in streams with other work: they could run beside it.

#include <fmt/format.h>

#include "passes/advise/finders.h"
#include "replay/schedule/program_changes.h"
#include "replay/timeline/group_times.h"
#include "support/ratio.h"

namespace amdahlc {

void findCopies(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const schedule::RunModel* model = run.predicted().model;
  if (model == nullptr) return;
  const schedule::EventSet copies = schedule::copiesBetweenOtherWork(model->calls, schedule::allSelected(run.timeline));
  const uint32_t group = 0;
  const int64_t copiesNs = run.timed.run.ofRow(
      unionTimes(run.timeline, 1, [&](EventIndex event) { return std::span(&group, copies[event] ? 1 : 0); }).front());
  if (copiesNs == 0) return;
  AdviceCandidate candidate =
      changeOfProgram(run, ir::ChangeKind::OverlapCopies, {},
                      fmt::format("copy beside other work, an iteration ahead: {}", run.remedy(Remedy::OverlapCopies)),
                      fmt::format("copies between host and device, in streams with other work, take {} of busy time",
                                  formatPercent(run.partOfBusy(copiesNs))));
  // Where an iteration before it is not recorded, nothing tells whether a copy ahead would be done in time.
  candidate.isCertain = !run.hasOneIteration();
  if (run.hasOneIteration()) candidate.assumption += ", and the iteration before it, which was not recorded, has room";
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
