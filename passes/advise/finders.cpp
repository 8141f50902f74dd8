#include "passes/advise/finders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "ir/facets/bound.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// Times are counted in so many parts of a nanosecond: of many short kernels, a nanosecond of each would be much.
constexpr int64_t kParts = 1'000;

bool fitsModel(const ir::Cover& cover) {
  const auto* bound = cover.facets.get<ir::BoundFacet>();
  return bound == nullptr || !bound->fit || bound->fit->namesOnly || bound->fit->fits;
}

/// Launching and draining a kernel takes no longer: an event that does is long for another reason.
constexpr int64_t kLongestFloorNs = 10'000;

int64_t shortestEventNs(const Timeline& timeline, const ir::Cover& cover) {
  int64_t shortestNs = 0;
  const std::vector<ir::KernelId> owners = ir::eventOwners(timeline, *cover.facets.get<ir::BoundFacet>());
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const int64_t ns = timeline.durationNs[event];
    if (owners[event] != kUnboundOwner && ns > 0 && (shortestNs == 0 || ns < shortestNs)) shortestNs = ns;
  }
  return std::min(shortestNs, kLongestFloorNs);
}

}  // namespace

AdvisedRun::AdvisedRun(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                       const AdvisedTimes& base, const RankWaits::Options& ranks)
    : module(module),
      runs(runs),
      index(run),
      base(base),
      ranks(ranks),
      cover(module.cover(runs[run].cover)),
      timeline(*module.findTimeline(cover.traceLabel)),
      reported(timeline),
      timed(*cover.facets.get<ir::TimedFacet>()),
      roofline(runs[run].roofline),
      rates(timed, roofline),
      fits(fitsModel(cover)),
      shortestNs(shortestEventNs(timeline, cover)) {}

double AdvisedRun::partOfBusy(int64_t ns) const { return shareOf(ns, timed.run.undisturbedNs); }

int64_t AdvisedRun::longerNs() const {
  if (!timed.run.wallNs && !timed.run.windowNs) return 0;
  const bool isMeasured = !base.windowNs && timed.run.windowNs;
  return std::max(base.longerNs(), isMeasured ? timed.run.reported(*timed.run.windowNs) : 0);
}

std::string_view AdvisedRun::longerName() const {
  // A window that is not predicted is that which was measured.
  const bool isBase = longerNs() == base.longerNs();
  return nameOfTime(longerNs() > base.wallNs, true, isBase && isUndisturbed(base.longerNs(), measuredNs()),
                    timed.run.iterations);
}

const std::vector<int64_t>& AdvisedRun::measuredTimes() const {
  const ir::RunTimes& times = timed.run;
  if (base.longerNs() > base.wallNs && times.windowNs) return *times.windowNs;
  return times.wallNs ? *times.wallNs : times.busyNs;
}

std::string_view AdvisedRun::measuredWallName() const {
  const bool differs = timed.run.wallNs && isUndisturbed(base.wallNs, timed.run.reported(*timed.run.wallNs));
  return differs ? "measured wall time" : "wall time";
}

int64_t AdvisedRun::measuredNs() const { return timed.run.reported(measuredTimes()); }

std::optional<int64_t> AdvisedRun::noiseNs() const {
  const std::vector<int64_t>& times = measuredTimes();
  if (timed.run.iterations < kFewestIterations || timeline.meanOf > 1) return std::nullopt;
  const double deviation = kDeviationsOfMedianDeviation * static_cast<double>(medianDeviation(times));
  return std::max(std::llround(deviation * static_cast<double>(timed.run.reportedIterations())),
                  static_cast<long long>(std::abs(measuredNs() - base.longerNs())));
}

std::vector<schedule::TimeBetween> AdvisedRun::timeBetween() const {
  std::vector<schedule::TimeBetween> found;
  if (predicted().oneThread == nullptr) return found;
  for (const schedule::TimeBetween& one : predicted().oneThread->between())
    if (reported.has(one.iteration)) found.push_back(one);
  return found;
}

int64_t AdvisedRun::idleBehind(std::span<const ir::KernelId> kernels) const {
  const std::set<ir::KernelId> all(kernels.begin(), kernels.end());
  int64_t idleNs = 0;
  for (const OwnedEvents& iteration : ownedEvents(timeline, cover)) {
    if (iteration.events.empty() || !reported.has(timeline.iteration[iteration.events.front()])) continue;
    int64_t endNs = 0;
    bool isBehindOne = false;
    for (size_t i = 0; i < iteration.events.size(); ++i) {
      const EventIndex event = iteration.events[i];
      if (std::exchange(isBehindOne, all.contains(iteration.owners[i])))
        idleNs += std::max<int64_t>(0, timeline.startNs[event] - endNs);
      endNs = std::max(endNs, timeline.startNs[event] + timeline.durationNs[event]);
    }
  }
  return idleNs;
}

std::vector<std::string> AdvisedRun::placesOf(std::span<const ir::KernelId> kernels) const {
  std::map<ir::ScopeId, int64_t> times;
  for (const ir::KernelId kernel : kernels)
    if (const ir::ScopeId scope = ir::kernelScope(module, cover.kernels[kernel]); scope != ir::kRootScope)
      times[scope] += timeOf(kernel);
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [scope, ns] : times) sorted.emplace_back(-ns, module.scopePath(scope));
  std::ranges::sort(sorted);
  std::vector<std::string> places;
  for (auto& [ns, path] : sorted) places.push_back(std::move(path));
  return places;
}

ir::Change AdvisedRun::newTime(ir::KernelId kernel, double ns) const {
  ir::Change change;
  change.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
  change.factor = Rational::of(std::llround(ns * kParts), timeOf(kernel) * kParts);
  return change;
}

ir::Change withoutTime(ir::SelectorKind kind, std::string_view name) {
  ir::Change change;
  change.selectors.push_back({kind, std::string(name)});
  change.factor = Rational::of(0);
  return change;
}

ir::Change withoutPartOfCommunication(double part) {
  constexpr int64_t kDigits = 100;
  ir::Change change = withoutTime(ir::SelectorKind::Phase, name(Phase::Communication));
  if (part < 1) change.factor = Rational::of(kDigits, std::llround(kDigits / std::max(1 - part, 1.0 / kDigits)));
  return change;
}

std::string communicationText(const ir::Change& change) {
  return change.factor->isZero() ? whatIfText(change)
                                 : fmt::format("{}={:.2f}x", ir::describe(change), 1 / change.factor->toDouble());
}

std::string whatIfText(const ir::Change& change) {
  const Rational& factor = *change.factor;
  return fmt::format("{}={}", ir::describe(change),
                     factor.isZero() ? "0" : Rational::of(factor.denominator, factor.numerator).describe() + "x");
}

AdviceCandidate changeOfProgram(const AdvisedRun& run, ir::ChangeKind kind, std::vector<ir::Selector> selectors,
                                std::string phrase, std::string why) {
  AdviceCandidate candidate;
  ir::Change change;
  change.kind = kind;
  change.selectors = std::move(selectors);
  candidate.selector = ir::describe(change);
  candidate.change = std::move(phrase);
  candidate.why = std::move(why);
  candidate.assumption = assumptionOf(change, run.predicted());
  candidate.likely.push_back(std::move(change));
  candidate.isCertain = true;
  return candidate;
}

std::vector<AdviceCandidate> findCandidates(AdvisedRun& run) {
  std::vector<AdviceCandidate> candidates;
#define AMDAHLC_FINDER(NAME, NEEDS_FIT) \
  if (run.fits || !(NEEDS_FIT)) find##NAME(run, candidates);
#include "passes/advise/finders.def"
  if (!run.fits) run.notes.push_back("the run is not of this model, so nothing is said about its kernels");
  return candidates;
}

}  // namespace amdahlc
