// Ranks that compute for different times: all others wait for the one that is last.

#include <fmt/format.h>

#include <algorithm>

#include "passes/advise/finders.h"
#include "support/decimal_time.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Of wall time: less waiting, or less to compute, is not worth a sentence.
constexpr double kLeastWaiting = 0.02;

constexpr std::string_view kWhat = "(samples, tokens, layers, experts, tables)";

class ImbalanceFinder {
 public:
  explicit ImbalanceFinder(const AdvisedRun& run) : run_(run), ranks_(run.ranks) {
    for (const ir::Kernel& kernel : run.cover.kernels) {
      const auto& phase = run.predicted().phases->ofKernel(kernel.id);
      if (run.timeOf(kernel.id) > 0) (phase == Phase::Communication ? communication_ : others_).push_back(kernel.id);
    }
  }

  /// Of a rank that waits: with balance it waits for nobody, and computes as long as the mean of the ranks.
  void findWaiting(std::vector<AdviceCandidate>& candidates) const {
    if (ranks_.communicationNs <= 0 || shareOf(ranks_.exposedWaitNs, ranks_.wallNs) < kLeastWaiting) return;
    const auto withoutWaiting = [&](int64_t waitNs) {
      return withoutPartOfCommunication(shareOf(waitNs, ranks_.communicationNs));
    };
    const int64_t moreNs = std::max<int64_t>(0, ranks_.meanComputationNs - ranks_.computationNs);
    AdviceCandidate candidate;
    candidate.likely.push_back(withoutWaiting(std::max<int64_t>(0, ranks_.waitNs - moreNs)));
    candidate.atMost = {withoutWaiting(ranks_.waitNs)};
    candidate.selector = communicationText(candidate.likely.front());
    candidate.kernels = communication_;
    candidate.savesPart = true;
    candidate.change = fmt::format("let the ranks compute equally long {}{}", kWhat,
                                   ranks_.straggler ? fmt::format(": rank {} holds up the others", *ranks_.straggler)
                                                    : ": they wait for each other in turn");
    candidate.why =
        fmt::format("rank {} waits for others while nothing computes for {} us a step, {} of wall time", ranks_.rank,
                    formatUs(ranks_.exposedWaitNs), formatPercent(shareOf(ranks_.exposedWaitNs, ranks_.wallNs)));
    candidate.assumption =
        "each rank computes as long as the ranks do in the mean; at most, it computes no longer than now";
    candidates.push_back(std::move(candidate));
  }

  /// Of the rank that the others wait for: it computes as long as the mean of the ranks.
  void findLonger(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) const {
    const int64_t moreNs = ranks_.computationNs - ranks_.meanComputationNs;
    if (shareOf(moreNs, ranks_.wallNs) < kLeastWaiting) {
      run.notes.push_back(
          fmt::format("the other ranks wait for rank {}, which computes no longer than they do: see what "
                      "its host does before it joins operations of several ranks",
                      ranks_.rank));
      return;
    }
    AdviceCandidate candidate;
    const double part = shareOf(ranks_.meanComputationNs, ranks_.computationNs);
    for (const ir::KernelId kernel : others_)
      candidate.likely.push_back(run_.newTime(kernel, part * static_cast<double>(run_.timeOf(kernel))));
    candidate.kernels = others_;
    candidate.savesPart = true;
    candidate.change = fmt::format("give rank {} as much to compute as the others {}", ranks_.rank, kWhat);
    candidate.why = fmt::format(
        "the other ranks wait for it; it computes {} us a step longer than the mean of the ranks", formatUs(moreNs));
    candidate.assumption = "its device is as fast as the others, and all that it computes becomes shorter alike";
    candidates.push_back(std::move(candidate));
  }

 private:
  const AdvisedRun& run_;
  const RankWaits::Options& ranks_;
  std::vector<ir::KernelId> communication_, others_;
};

}  // namespace

void findImbalance(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (!run.ranks.isKnown()) return;
  const ImbalanceFinder finder(run);
  if (run.ranks.straggler == run.ranks.rank)
    finder.findLonger(run, candidates);
  else
    finder.findWaiting(candidates);
}

}  // namespace amdahlc
