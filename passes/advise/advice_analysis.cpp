#include "passes/advise/advice_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "ir/applicability.h"
#include "ir/facets/bound.h"
#include "ir/facets/timed.h"
#include "passes/curves/timed_groups.h"
#include "passes/roofline/roofline_analysis.h"
#include "passes/speedup_rewrite/fused_kernels.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "passes/timing/timing_analysis.h"
#include "replay/runtimes/device_calls.h"
#include "replay/timeline/group_times.h"
#include "support/decimal_time.h"
#include "support/diagnostic.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// A change that may help a run: a scenario with the reason for it.
struct AdviceCandidate {
  std::string selector, change, why, assumption;
  std::vector<ir::Change> changes;
};

/// More labels are too small to come first.
constexpr size_t kMostLabels = 12;
/// A group with less of busy time is not worth a sentence.
constexpr double kLeastShare = 0.02;
/// Rules that could fuse something, of the most time first.
constexpr size_t kMostFusions = 4;
/// Kernels whose least times are so many times their roofs are too small to reach these.
constexpr double kSmall = 1.25;
/// Least times are counted in so many parts of a nanosecond.
constexpr int64_t kParts = 1'000;

/// Finds the candidates of one run, in a fixed order: launches as a graph, copies beside other work, kernels of each
/// label at their roofs, kernels that a rule or a compiler could fuse.
class Finder {
 public:
  Finder(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run, std::vector<std::string>& notes)
      : module_(module),
        runs_(runs),
        run_(run),
        cover_(module.cover(runs[run].cover)),
        timeline_(*module.findTimeline(cover_.traceLabel)),
        timed_(*cover_.facets.get<ir::TimedFacet>()),
        roofline_(runs[run].roofline),
        notes_(notes) {
    busyNs_ = timed_.run.undisturbedNs;
    shortestNs_ = shortestEventNs();
  }

  std::vector<AdviceCandidate> find() {
    const auto* bound = cover_.facets.get<ir::BoundFacet>();
    const bool fits = bound == nullptr || !bound->fit || bound->fit->namesOnly || bound->fit->fits;
    // Of a large run not all are tried.
    addGraph();
    addCopies();
    if (fits) {
      addRoofs();
      addFusions();
    } else {
      notes_.push_back("the run is not of this model, so nothing is said about its kernels");
    }
    return std::move(candidates_);
  }

 private:
  int64_t timeOf(ir::KernelId kernel) const { return timed_.kernels[kernel].reportedNs; }
  double partOfBusy(int64_t ns) const { return shareOf(ns, busyNs_); }

  /// Of bound events on a device: no kernel of the run was shorter. 0 if it is not known.
  int64_t shortestEventNs() const {
    if (!timeline_.hasDevice) return 0;
    int64_t shortestNs = 0;
    const std::vector<ir::KernelId> owners = ir::eventOwners(timeline_, *cover_.facets.get<ir::BoundFacet>());
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      const int64_t ns = timeline_.durationNs[event];
      if (owners[event] != kUnboundOwner && ns > 0 && (shortestNs == 0 || ns < shortestNs)) shortestNs = ns;
    }
    return shortestNs;
  }

  /// The least time of a kernel, over all its runs: that of its roof, and not less than any event of the run takes.
  std::optional<double> leastNs(ir::KernelId kernel) const {
    const auto total = roofline_->kernels[kernel].totalNs();
    if (!total) return std::nullopt;
    const double floorNs = static_cast<double>(shortestNs_) * *roofline_->kernels[kernel].runs;
    return std::min(std::max(*total, floorNs), static_cast<double>(timeOf(kernel)));
  }

  void addRoofs() {
    const std::vector<TimedGroup> groups = groupsByLabel(module_, runs_, run_, kMostLabels);
    if (!runs_[run_].isDescribed()) return noteWithoutRoof(groups);
    for (const TimedGroup& group : groups)
      if (!group.kernels.empty()) addRoof(group);
  }

  void noteWithoutRoof(const std::vector<TimedGroup>& groups) {
    std::string longest;
    for (const TimedGroup& group : groups) {
      if (group.kernels.empty() || std::count(longest.begin(), longest.end(), ',') == 2) continue;
      longest += fmt::format("{}`{}` {}", longest.empty() ? "" : ", ", printable(group.selector),
                             formatPercent(partOfBusy(group.timeNs)));
    }
    if (longest.empty()) return;
    const Absence absence =
        roofline_ != nullptr ? *roofline_->hardware.absence() : Absence{Absence::Reason::NoPass, {"roofline"}};
    notes_.push_back(fmt::format("how fast kernels could be is not known, because {}; of busy time, {}",
                                 printable(describe(absence)), longest));
  }

  void addRoof(const TimedGroup& group) {
    AdviceCandidate candidate;
    candidate.selector = group.selector;
    double nowNs = 0, thenNs = 0, roofNs = 0, memoryNs = 0, unknownNs = 0;
    for (const ir::KernelId kernel : group.kernels) {
      const auto least = leastNs(kernel);
      const auto timeNs = static_cast<double>(timeOf(kernel));
      if (!least) {
        unknownNs += timeNs;
        continue;
      }
      nowNs += timeNs;
      thenNs += *least;
      roofNs += std::min(*roofline_->kernels[kernel].totalNs(), timeNs);
      if (roofline_->kernels[kernel].attainable->isMemoryBound()) memoryNs += timeNs;
      // Of a label that one factor cannot describe, each kernel has its own.
      ir::Change change;
      change.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
      // Of many short kernels, a nanosecond of each would be much.
      change.factor = Rational::of(std::llround(*least * kParts), timeOf(kernel) * kParts);
      candidate.changes.push_back(std::move(change));
    }
    const double share = partOfBusy(group.timeNs);
    if (share < kLeastShare) return;
    if (unknownNs > nowNs) {
      notes_.push_back(fmt::format(
          "`{}`, {} of busy time, has no roof: its shapes, operators or trips, or a peak of the device, are not known",
          printable(group.selector), formatPercent(share)));
      return;
    }
    const double atRoof = nowNs > 0 ? roofNs / nowNs : 1;
    const char* bound = 2 * memoryNs >= nowNs ? "memory" : "compute";
    if (atRoof >= kAtRoof) {
      notes_.push_back(fmt::format("`{}`, {} of busy time, is at {} of its roof ({}): only less work makes it faster",
                                   printable(group.selector), formatPercent(share), formatPercent(atRoof), bound));
      return;
    }
    if (thenNs <= 0) return;
    const double speedup = nowNs / thenNs;
    if (thenNs > kSmall * roofNs) {
      candidate.change = fmt::format("bring its kernels to the shortest time of the run, {:.2f}x", speedup);
      candidate.why = fmt::format(
          "{} of busy time, in small kernels: their roofs are {} of it, and no event of the run "
          "is shorter than {} us; more work at once would use the device better",
          formatPercent(share), formatPercent(atRoof), formatUs(shortestNs_));
    } else {
      candidate.change = fmt::format("bring its kernels to their roof, {:.2f}x", speedup);
      candidate.why = fmt::format("{} of busy time, {}-bound at {} of its roof", formatPercent(share), bound,
                                  formatPercent(atRoof));
    }
    candidates_.push_back(std::move(candidate));
  }

  void addChange(ir::ChangeKind kind, std::vector<ir::Selector> selectors, std::string phrase, std::string why) {
    AdviceCandidate candidate;
    ir::Change change;
    change.kind = kind;
    change.selectors = std::move(selectors);
    candidate.selector = ir::describe(change);
    candidate.change = std::move(phrase);
    candidate.why = std::move(why);
    candidate.assumption = assumptionOf(change, runs_[run_]);
    candidate.changes.push_back(std::move(change));
    candidates_.push_back(std::move(candidate));
  }

  void addGraph() {
    const schedule::RunModel* model = runs_[run_].model;
    if (model == nullptr) return;
    size_t launches = 0;
    bool hasGraphs = false;
    const ReportedIterations reported(timeline_);
    for (const schedule::Call& call : model->calls.calls()) {
      const auto events = model->calls.launched(call);
      if (events.empty() || !reported.has(timeline_.iteration[events.front()])) continue;
      ++launches;
      hasGraphs |= isGraphLaunch(model->calls.name(call));
    }
    const size_t perIteration = launches / static_cast<size_t>(reported.count());
    if (perIteration < 2) return;
    addChange(ir::ChangeKind::Graph, {}, "launch the work between two waits as one graph (a CUDA graph)",
              fmt::format("{} launches an iteration{}, one by one", perIteration, hasGraphs ? ", some of graphs" : ""));
  }

  void addCopies() {
    const schedule::RunModel* model = runs_[run_].model;
    if (model == nullptr) return;
    const schedule::EventSet copies = schedule::copiesBetweenOtherWork(model->calls, schedule::allSelected(timeline_));
    const uint32_t group = 0;
    const int64_t copiesNs = timed_.run.ofRow(
        unionTimes(timeline_, 1, [&](EventIndex event) { return std::span(&group, copies[event] ? 1 : 0); }).front());
    if (copiesNs == 0) return;
    addChange(ir::ChangeKind::OverlapCopies, {}, "copy beside other work, from pinned memory, an iteration ahead",
              fmt::format("copies between host and device, in streams with other work, take {} of busy time",
                          formatPercent(partOfBusy(copiesNs))));
  }

  void addFusions() {
    struct Fusion {
      std::vector<ir::Selector> selectors;
      /// Those with time.
      std::vector<ir::KernelId> kernels = {};
      size_t groups = 0;
      int64_t ns = 0;
    };
    const auto fusionOf = [&](const FusedKernels& fused, std::vector<ir::Selector> selectors) {
      Fusion fusion{std::move(selectors)};
      for (const std::vector<ir::KernelId>& group : fused.groups) {
        const size_t before = fusion.kernels.size();
        std::ranges::copy_if(group, std::back_inserter(fusion.kernels),
                             [&](ir::KernelId kernel) { return timeOf(kernel) > 0; });
        fusion.groups += fusion.kernels.size() > before + 1;
      }
      return fusion;
    };
    const auto measure = [&](std::vector<Fusion>& fusions) {
      std::vector<std::vector<ir::KernelId>> kernels;
      for (const Fusion& fusion : fusions) kernels.push_back(fusion.kernels);
      const std::vector<int64_t> timesNs = timesOfGroups(timeline_, cover_, kernels);
      for (size_t i = 0; i < fusions.size(); ++i) fusions[i].ns = timesNs[i];
    };
    std::vector<Fusion> fusions;
    // A module with runs of several runtimes has rules of all of them. Only rules with a match: each search walks over
    // all candidates.
    const auto admitted = rulesOn(module_.rules, timeline_.target);
    std::set<std::string> rules;
    for (const ir::Candidate& candidate : module_.candidates)
      if (candidate.owned > 1 && admitted[candidate.rule]) rules.insert(module_.rules.rules[candidate.rule].name);
    if (rules.size() <= kMostSearchedRules)
      for (const std::string& rule : rules) {
        const ir::Selector selector{ir::SelectorKind::Rule, rule};
        fusions.push_back(fusionOf(fusedByRules(module_, cover_, runs_[run_].graph, selector), {selector}));
      }
    measure(fusions);
    std::ranges::stable_sort(fusions, std::ranges::greater(), &Fusion::ns);
    if (fusions.size() > kMostFusions) fusions.resize(kMostFusions);
    if (const std::vector<ir::Selector> selectors = memoryBoundCategories(); !selectors.empty()) {
      std::vector<ir::KernelId> kernels;
      for (const ir::Selector& selector : selectors)
        for (const ir::KernelId kernel : runs_[run_].names.select(selector)) kernels.push_back(kernel);
      std::sort(kernels.begin(), kernels.end());
      fusions.push_back(fusionOf(fusedNeighbours(runs_[run_].graph, kernels), selectors));
      measure(fusions);
    }
    for (Fusion& fusion : fusions) {
      if (fusion.groups == 0 || partOfBusy(fusion.ns) < kLeastShare) continue;
      addChange(ir::ChangeKind::Fuse, fusion.selectors,
                fmt::format("make {} of {}", plural(fusion.groups, "kernel"), plural(fusion.kernels.size(), "kernel")),
                fmt::format("{} of busy time; fewer launches{}", formatPercent(partOfBusy(fusion.ns)),
                            runs_[run_].isDescribed() ? ", and less traffic between them" : ""));
    }
  }

  /// Categories of which all kernels with time are bound by memory and multiply no matrices.
  std::vector<ir::Selector> memoryBoundCategories() const {
    if (!runs_[run_].isDescribed()) return {};
    std::map<std::string, bool> isBound;
    for (const ir::Kernel& kernel : cover_.kernels) {
      if (timeOf(kernel.id) == 0) continue;
      const KernelRoofline& roofline = roofline_->kernels[kernel.id];
      const bool one =
          roofline.attainable && roofline.attainable->isMemoryBound() && roofline.attainable->matrixNs == 0;
      auto [category, isNew] = isBound.emplace(ir::kernelCategory(module_, kernel), one);
      category->second = category->second && one;
    }
    std::vector<ir::Selector> selectors;
    for (const auto& [category, one] : isBound)
      if (one) selectors.push_back({ir::SelectorKind::Category, category});
    return selectors;
  }

  static constexpr size_t kMostSearchedRules = 64;

  const ir::Module& module_;
  const std::vector<PredictedRun>& runs_;
  size_t run_;
  const ir::Cover& cover_;
  const Timeline& timeline_;
  const ir::TimedFacet& timed_;
  const RooflineAnalysis* roofline_;
  int64_t busyNs_ = 0, shortestNs_ = 0;
  std::vector<AdviceCandidate> candidates_;
  /// What cannot get faster, and what is not known.
  std::vector<std::string>& notes_;
};

/// Events and calls that the predictions of a run may walk over together: of each candidate alone, and on top of
/// others.
constexpr size_t kMostStepsAlone = 200'000'000, kMostSteps = 20'000'000;

class Ranking {
 public:
  Ranking(const ir::Module& module, const PredictedRun& run, AnalysisManager& analyses)
      : module_(module),
        runs_{run},
        analyses_(analyses),
        predictor_(analyses.get<RunPredictor>(run.cover)),
        baseNs_(predictor_.times().base().limitNs()) {}

  void rank(std::vector<AdviceCandidate> open, AdviceAnalysis& facts) {
    facts.model = predictor_.times().model();
    facts.baseNs = baseNs_;
    mostPredictions_ = open.size() * (1 + kMostAdvice);
    std::vector<int64_t> aloneNs;
    while (aloneNs.size() < open.size() && steps_ <= kMostStepsAlone)
      aloneNs.push_back(timeWith(open[aloneNs.size()].changes).value_or(baseNs_));
    facts.tried = aloneNs.size();
    if (facts.tried < open.size()) {
      facts.notes.push_back(
          fmt::format("the run is so large that {} were not tried", plural(open.size() - facts.tried, "change")));
      open.resize(facts.tried);
    }
    facts.caution = caution_;
    std::vector<ir::Change> made;
    int64_t nowNs = baseNs_;
    while (!open.empty() && facts.advice.size() < kMostAdvice) {
      size_t best = 0;
      int64_t bestNs = std::numeric_limits<int64_t>::max();
      for (size_t i = 0; i < open.size(); ++i) {
        const int64_t ns = made.empty() ? aloneNs[i] : thenNs(made, open[i], nowNs, aloneNs[i]);
        if (ns < bestNs) {
          best = i;
          bestNs = ns;
        }
      }
      if (static_cast<double>(nowNs - bestNs) < kLeastSaving * static_cast<double>(nowNs) || nowNs <= 0) break;
      AdviceCandidate& one = open[best];
      facts.advice.push_back({one.selector, one.change, one.why, baseNs_ - aloneNs[best], bestNs, one.assumption});
      made.insert(made.end(), one.changes.begin(), one.changes.end());
      nowNs = bestNs;
      open.erase(open.begin() + static_cast<ptrdiff_t>(best));
      aloneNs.erase(aloneNs.begin() + static_cast<ptrdiff_t>(best));
    }
  }

 private:
  /// Time with a change on top of others; where that would take too long, as if both saved what they save alone.
  int64_t thenNs(std::vector<ir::Change> made, const AdviceCandidate& candidate, int64_t nowNs, int64_t aloneNs) {
    const int64_t sumNs = std::max<int64_t>(0, nowNs - (baseNs_ - aloneNs));
    if (steps_ > kMostSteps) return sumNs;
    made.insert(made.end(), candidate.changes.begin(), candidate.changes.end());
    return timeWith(made).value_or(nowNs);
  }

  /// nullopt if the changes select nothing, or the time is not known.
  std::optional<int64_t> timeWith(const std::vector<ir::Change>& changes) {
    if (analyses_.progress)
      analyses_.progress("advise", static_cast<double>(predictions_++) / static_cast<double>(mostPredictions_));
    steps_ += predictor_.times().size();
    const auto resolved = resolveScenario(module_, {"", changes}, runs_).changes;
    const auto times = resolved ? predictor_.predict(resolved->front()) : std::nullopt;
    if (!times) return std::nullopt;
    // Others are about one change, and not about the run.
    if (times->caution == schedule::Caution::Unexplained || times->caution == schedule::Caution::Inexact)
      caution_ = times->caution;
    return times->limitNs();
  }

  const ir::Module& module_;
  const std::vector<PredictedRun> runs_;
  AnalysisManager& analyses_;
  const RunPredictor& predictor_;
  int64_t baseNs_;
  size_t steps_ = 0, predictions_ = 0, mostPredictions_ = 0;
  schedule::Caution caution_ = schedule::Caution::None;
};

}  // namespace

AdviceAnalysis::AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, cover);
  Ranking(module, runs[index], analyses).rank(Finder(module, runs, index, notes).find(), *this);
}

}  // namespace amdahlc
