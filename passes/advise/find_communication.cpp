// Communication between ranks while nothing computes.

#include <fmt/format.h>

#include <algorithm>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/breakdown.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr double kLeastExposed = 0.02;

}  // namespace

void findCommunication(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (!run.timed.run.wallNs) return;
  if (run.predicted().phases->times()[static_cast<size_t>(Phase::Communication)].events == 0) return;
  const auto breakdowns = timeBreakdowns(run.timeline);
  if (!breakdowns) return;
  TimeBreakdown times;
  for (const TimeBreakdown& one : run.reported.of(*breakdowns)) {
    times.computationNs += one.computationNs;
    times.communicationNs += one.communicationNs;
    times.exposedCommunicationNs += one.exposedCommunicationNs;
  }
  const int64_t exposedNs = times.exposedCommunicationNs;
  const double share = shareOf(exposedNs, run.timed.run.reported(*run.timed.run.wallNs));
  // What it waits for other ranks is no communication that could be elsewhere.
  const double movable =
      run.ranks.isKnown() ? std::max(0.0, 1 - shareOf(run.ranks.exposedWaitNs, run.ranks.exposedCommunicationNs)) : 1;
  if (share * movable < kLeastExposed) return;
  // Only beside computation that has no communication beside it yet is there room for more.
  const int64_t roomNs = times.computationNs - (times.communicationNs - exposedNs);
  const double hidden = movable * shareOf(std::min(exposedNs, std::max<int64_t>(0, roomNs)), exposedNs);
  AdviceCandidate candidate;
  // How much of it a program hides, nobody knows before: half of what could be.
  candidate.likely.push_back(withoutPartOfCommunication(hidden / 2));
  candidate.atMost = {withoutPartOfCommunication(hidden)};
  candidate.selector = communicationText(candidate.likely.front());
  // Of a run without a backward pass, what is computed next needs what is communicated.
  const bool isTraining = run.predicted().phases->times()[static_cast<size_t>(Phase::Backward)].events > 0;
  candidate.change = isTraining
                         ? fmt::format("communicate beside computation: {}", run.remedy(Remedy::OverlapCommunication))
                         : "communicate less, or beside computation: fewer ranks for one model, smaller types, "
                           "or parts of the batch by turns";
  candidate.why =
      fmt::format("{} of {} communicates while nothing computes, {} of all communication", formatPercent(share),
                  run.measuredWallName(), formatPercent(shareOf(exposedNs, times.communicationNs)));
  if (movable < 1)
    candidate.why += fmt::format("; {} of that waits for other ranks, which is left out", formatPercent(1 - movable));
  candidate.assumption = fmt::format(
      "half of what could be hidden is, {}nothing computes slower beside it{}", run.ranks.isKnown() ? "and " : "",
      run.ranks.isKnown() ? "" : ", and it is no waiting for other ranks, which traces of all ranks tell");
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
