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
  candidates.push_back(
      changeOfProgram(run, ir::ChangeKind::OverlapCopies, {},
                      fmt::format("copy beside other work, an iteration ahead: {}", run.remedy(Remedy::OverlapCopies)),
                      fmt::format("copies between host and device, in streams with other work, take {} of busy time",
                                  formatPercent(run.partOfBusy(copiesNs)))));
}

}  // namespace amdahlc
