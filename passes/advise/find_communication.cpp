// Communication between ranks while nothing computes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/breakdown.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr double kLeastExposed = 0.02;
/// Speed-ups have two digits after the point, so that the text says what is predicted.
constexpr double kHundredParts = 100;

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
  const double share = shareOf(exposedNs, run.base.wallNs);
  if (share < kLeastExposed) return;
  // Only beside computation that has no communication beside it yet is there room for more.
  const int64_t roomNs = times.computationNs - (times.communicationNs - exposedNs);
  const double hidden = shareOf(std::min(exposedNs, std::max<int64_t>(0, roomNs)), exposedNs);
  const auto withPart = [&](double part) {
    ir::Change change = withoutTime(ir::SelectorKind::Phase, name(Phase::Communication));
    const int64_t speedup = std::llround(kHundredParts / std::max(1 - part, 1 / kHundredParts));
    if (part < 1) change.factor = Rational::of(std::llround(kHundredParts), speedup);
    return change;
  };
  AdviceCandidate candidate;
  // How much of it a program hides, nobody knows before: half of what could be.
  candidate.likely.push_back(withPart(hidden / 2));
  candidate.atMost = {withPart(hidden)};
  candidate.selector = fmt::format("{}={:.2f}x", ir::describe(candidate.likely.front()),
                                   1 / candidate.likely.front().factor->toDouble());
  // Of a run without a backward pass, what is computed next needs what is communicated.
  const bool isTraining = run.predicted().phases->times()[static_cast<size_t>(Phase::Backward)].events > 0;
  candidate.change = isTraining
                         ? fmt::format("communicate beside computation: {}", run.remedy(Remedy::OverlapCommunication))
                         : "communicate less, or beside computation: fewer ranks for one model, smaller types, "
                           "or parts of the batch by turns";
  candidate.why = fmt::format("{} of wall time communicates while nothing computes, {} of all communication",
                              formatPercent(share), formatPercent(shareOf(exposedNs, times.communicationNs)));
  candidate.assumption =
      "half of what could be hidden is, nothing computes slower beside it, and it is no waiting for other ranks, which "
      "traces of all ranks tell";
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
