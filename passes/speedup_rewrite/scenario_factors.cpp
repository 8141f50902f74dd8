#include "passes/speedup_rewrite/scenario_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/schedule/run_model_analysis.h"
#include "passes/speedup_rewrite/fused_kernels.h"
#include "passes/speedup_rewrite/work_factors.h"
#include "passes/timing/timing_analysis.h"
#include "schedule/scaled_lengths.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/plural.h"
#include "support/sort_unique.h"

namespace amdahlc {
namespace {

/// New time / old time. A fixed time is per iteration. nullopt for a kernel that took no time, because no factor
/// changes it.
std::optional<Rational> factorFor(const ir::Change& request, int64_t totalNs, int64_t iterations) {
  if (totalNs == 0) return std::nullopt;
  if (request.factor) return request.factor;
  if (*request.fixedNs == 0) return Rational{0, 1};
  return Rational::of(*request.fixedNs, totalNs) * Rational::of(iterations);
}

class Resolver {
 public:
  Resolver(const ir::Module& module, const ir::Scenario& scenario, const std::vector<PredictedRun>& runs,
           int64_t& changedKernels, PassContext& context)
      : module_(module), scenario_(scenario), runs_(runs), changedKernels_(changedKernels), context_(context) {
    for (const PredictedRun& run : runs)
      factors_.push_back({{{module.cover(run.cover).kernels.size(), Rational{1, 1}}, Rational{1, 1}}, {}, {}});
    for (const PredictedRun& run : runs) names_.push_back(&run.names);
  }

  std::optional<std::vector<ScenarioFactors>> resolve() {
    bool ok = true;
    for (const ir::Change& change : scenario_.changes)
      if (change.kind == ir::ChangeKind::NewTime)
        ok &= ir::subjectOf(change.selectors.front().kind) == ir::SelectorSubject::Kernels ? resolveKernels(change)
                                                                                           : resolveOther(change);
    setBatch();
    for (const ir::Change& change : scenario_.changes)
      if (change.kind == ir::ChangeKind::Remove) ok &= remove(change);
    for (const ir::Change& change : scenario_.changes)
      if (change.kind == ir::ChangeKind::Fuse) ok &= fuse(change);
    ok = ok && applyFusions();
    for (const ir::Change& change : scenario_.changes) ok &= resolveStructure(change);
    if (!ok) return std::nullopt;
    return std::move(factors_);
  }

 private:
  bool resolveKernels(const ir::Change& asked) {
    const ir::Selector selector = withKind(asked.selectors.front(), names_);
    size_t named = 0, changed = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const ir::Cover& cover = module_.cover(runs_[i].cover);
      const ir::TimedFacet& timed = *cover.facets.get<ir::TimedFacet>();
      for (const ir::KernelId kernel : runs_[i].names.select(selector)) {
        ++named;
        const auto factor = factorFor(asked, timed.kernels[kernel].totalNs, timed.run.iterations);
        if (!factor) continue;
        factors_[i].device.kernels[kernel] = *factor;
        if (context_.wantsDebug())
          context_.debug(fmt::format("scenario `{}`, run `{}`: `{}` gives kernel {} the factor {}", scenario_.name,
                                     cover.name, ir::spelled(asked), kernel.index(), factor->toString()));
        ++changed;
      }
    }
    changedKernels_ += static_cast<int64_t>(changed);
    if (named == 0) return selectsNothing(asked, asked.selectors.front(), "kernel");
    if (changed == 0)
      context_.diagnostics.warning(DiagId::SpeedupWithoutTime, asked.range,
                                   fmt::format("`{}` selects {} without measured time; the prediction does not change",
                                               ir::spelled(asked), plural(named, "kernel")));
    if (context_.wants(RemarkKind::Passed))
      context_.remark(
          RemarkKind::Passed, asked.range,
          fmt::format("`{}` selects {} kernels in scenario `{}`", ir::spelled(asked), named, scenario_.name));
    return true;
  }

  bool resolveOther(const ir::Change& request) {
    const std::string spelled = ir::spelled(request);
    if (!request.factor)
      return fail(request, fmt::format("`{}` takes a factor such as `2x`, or `0`, and no time", spelled));
    const Rational factor = *request.factor;
    if (request.selectors.front().kind == ir::SelectorKind::Device) {
      setDevice(factor);
      return true;
    }
    if (!canReplay()) {
      context_.diagnostics.warning(
          DiagId::SpeedupWithoutTime, request.range,
          fmt::format("`{}` changes nothing that is known: no run has host events that launched its device work",
                      spelled));
      return true;
    }
    if (request.selectors.front().kind == ir::SelectorKind::HostOperator && !isHostOperator(request)) return false;
    for (ScenarioFactors& one : factors_) {
      if (request.selectors.front().kind == ir::SelectorKind::Host) one.host.host = factor;
      if (request.selectors.front().kind == ir::SelectorKind::Launches) one.host.launches = factor;
      if (request.selectors.front().kind == ir::SelectorKind::HostOperator)
        one.host.operators.push_back({request.selectors.front().text, factor});
    }
    return true;
  }

  void setDevice(const Rational& factor) {
    for (size_t i = 0; i < runs_.size(); ++i) {
      const ir::TimedFacet& timed = *module_.cover(runs_[i].cover).facets.get<ir::TimedFacet>();
      factors_[i].device.unbound = factor;
      for (const ir::KernelId kernel : factors_[i].device.kernels.ids()) {
        if (timed.kernels[kernel].totalNs == 0) continue;
        factors_[i].device.kernels[kernel] = factor;
        ++changedKernels_;
      }
    }
  }

  bool isHostOperator(const ir::Change& request) {
    std::vector<std::string> words;
    for (const PredictedRun& run : runs_) {
      if (run.model == nullptr) continue;
      for (std::string& name : hostOperatorNames(*run.model)) words.push_back(std::move(name));
    }
    if (std::find(words.begin(), words.end(), request.selectors.front().text) != words.end()) return true;
    return fail(request, fmt::format("`{}` selects no operator on the host{}", ir::spelled(request),
                                     didYouMean(request.selectors.front().text, words)));
  }

  bool selectsNothing(const ir::Change& change, const ir::Selector& selector, std::string_view what) {
    std::vector<std::string> words;
    for (const KernelNames* const one : names_)
      for (std::string& word : one->vocabulary(selector.kind)) words.push_back(std::move(word));
    return fail(change, fmt::format("`{}` selects no {}{}", ir::spelled(selector.kind, selector.text), what,
                                    didYouMean(selector.text, words)));
  }

  bool resolveStructure(const ir::Change& change) {
    if (ir::info(change.kind).isReplayOnly && !canReplay()) {
      warn(DiagId::SpeedupWithoutTime, change,
           "changes nothing that is known: no run has host events that launched its device work");
      return true;
    }
    switch (change.kind) {
      case ir::ChangeKind::NewTime:
      case ir::ChangeKind::Batch:
      case ir::ChangeKind::Remove:
      case ir::ChangeKind::Fuse:
        return true;
      case ir::ChangeKind::Graph:
        return capture(change);
      case ir::ChangeKind::Move:
        return move(change);
      case ir::ChangeKind::OverlapCopies:
        for (ScenarioFactors& one : factors_) one.structure.overlapsCopies = true;
        return true;
    }
    return true;
  }

  bool canReplay() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const PredictedRun& run) { return run.model != nullptr; });
  }

  void warn(DiagId id, const ir::Change& change, std::string_view what) {
    context_.diagnostics.warning(id, change.range, fmt::format("`{}` {}", ir::spelled(change), what));
  }

  /// The kernels that the selectors of a change select, by run, ascending. nullopt after an error.
  std::optional<std::vector<std::vector<ir::KernelId>>> select(const ir::Change& change) {
    std::vector<std::vector<ir::KernelId>> selected(runs_.size());
    for (const ir::Selector& asked : change.selectors) {
      const ir::Selector selector = withKind(asked, names_);
      bool any = false;
      for (size_t i = 0; i < runs_.size(); ++i)
        for (const ir::KernelId kernel : runs_[i].names.select(selector)) {
          selected[i].push_back(kernel);
          any = true;
        }
      if (!any) {
        selectsNothing(change, asked, "kernel");
        return std::nullopt;
      }
    }
    for (std::vector<ir::KernelId>& one : selected) sortUnique(one);
    return selected;
  }

  int64_t timeOf(size_t run, ir::KernelId kernel) const {
    return module_.cover(runs_[run].cover).facets.get<ir::TimedFacet>()->kernels[kernel].totalNs;
  }

  void removeFrom(size_t run, ir::KernelId kernel) {
    factors_[run].device.kernels[kernel] = Rational::of(0);
    factors_[run].structure.removed.push_back(kernel);
    ++changedKernels_;
  }

  bool remove(const ir::Change& change) {
    const auto selected = select(change);
    if (!selected) return false;
    bool any = false;
    for (size_t i = 0; i < runs_.size(); ++i)
      for (const ir::KernelId kernel : (*selected)[i]) {
        if (timeOf(i, kernel) == 0) continue;
        removeFrom(i, kernel);
        any = true;
      }
    if (!any)
      warn(DiagId::SpeedupWithoutTime, change, "selects kernels without measured time; the prediction does not change");
    sortRemoved();
    return true;
  }

  void sortRemoved() {
    for (ScenarioFactors& one : factors_) sortUnique(one.structure.removed);
  }

  /// Notes which kernels become one; `applyFusions` gives them their time.
  bool fuse(const ir::Change& change) {
    lastFuse_ = &change;
    std::vector<FusedKernels> fused(runs_.size());
    std::vector<ir::Selector> others;
    for (const ir::Selector& selector : change.selectors) {
      bool any = false;
      for (size_t i = 0; i < runs_.size(); ++i) {
        FusedKernels more = fusedByRules(module_, module_.cover(runs_[i].cover), runs_[i].graph, selector);
        any |= !more.groups.empty();
        std::move(more.groups.begin(), more.groups.end(), std::back_inserter(fused[i].groups));
        std::move(more.declined.begin(), more.declined.end(), std::back_inserter(fused[i].declined));
      }
      if (!any) others.push_back(selector);
    }
    if (!others.empty() && !fuseNeighbours(change, others, fused)) return false;
    size_t groups = 0;
    std::vector<std::string> declined;
    fusions_.resize(runs_.size());
    for (size_t i = 0; i < runs_.size(); ++i) {
      for (std::vector<ir::KernelId>& group : fused[i].groups) {
        groups += hasTwoWithTime(i, group);
        fusions_[i].push_back(std::move(group));
      }
      std::move(fused[i].declined.begin(), fused[i].declined.end(), std::back_inserter(declined));
    }
    sortUnique(declined);
    for (const std::string& why : declined) warn(DiagId::ChangeDeclined, change, "leaves kernels as they are: " + why);
    if (groups == 0 && declined.empty())
      return fail(change,
                  fmt::format("`{}` finds no two kernels with time that follow one another", ir::spelled(change)));
    if (context_.wants(RemarkKind::Passed))
      context_.remark(RemarkKind::Passed, change.range,
                      fmt::format("`{}` makes {} in scenario `{}`", ir::spelled(change), plural(groups, "fused kernel"),
                                  scenario_.name));
    return true;
  }

  /// What several selectors select together.
  bool fuseNeighbours(const ir::Change& change, const std::vector<ir::Selector>& selectors,
                      std::vector<FusedKernels>& fused) {
    ir::Change rest = change;
    rest.selectors = selectors;
    const auto selected = select(rest);
    if (!selected) return false;
    for (size_t i = 0; i < runs_.size(); ++i) {
      FusedKernels more = fusedNeighbours(runs_[i].graph, (*selected)[i]);
      std::move(more.groups.begin(), more.groups.end(), std::back_inserter(fused[i].groups));
      std::move(more.declined.begin(), more.declined.end(), std::back_inserter(fused[i].declined));
    }
    return true;
  }

  /// Gives fused kernels their times. Those of several changes that share kernels are one.
  bool applyFusions() {
    bool isTooLong = false;
    for (size_t i = 0; i < fusions_.size(); ++i) {
      const FusedKernels merged = mergedGroups(runs_[i].graph, fusions_[i]);
      for (const std::vector<ir::KernelId>& group : merged.groups) fuseGroup(i, group, isTooLong);
      for (const std::string& why : merged.declined)
        warn(DiagId::ChangeDeclined, *lastFuse_, "and those before it leave kernels as they are: " + why);
    }
    sortRemoved();
    return !isTooLong || fail(*lastFuse_, fmt::format("`{}` makes a kernel that takes more than {} ns",
                                                      ir::spelled(*lastFuse_), limits::kTimeNs));
  }

  bool hasTime(size_t run, ir::KernelId kernel) const {
    return timeOf(run, kernel) > 0 && !factors_[run].device.kernels[kernel].isZero();
  }

  bool hasTwoWithTime(size_t run, const std::vector<ir::KernelId>& group) const {
    return std::count_if(group.begin(), group.end(), [&](ir::KernelId kernel) { return hasTime(run, kernel); }) > 1;
  }

  /// The kernel that runs last takes the time of all; the others are removed.
  void fuseGroup(size_t run, const std::vector<ir::KernelId>& group, bool& isTooLong) {
    const auto work = workOf(run);
    const KernelWorkOf fused = work ? work->fused(group) : KernelWorkOf();
    std::vector<ir::KernelId> timed;
    int64_t totalNs = 0, separateNs = 0;
    for (const ir::KernelId kernel : group) {
      const Rational& factor = factors_[run].device.kernels[kernel];
      if (!hasTime(run, kernel)) continue;
      timed.push_back(kernel);
      isTooLong |= static_cast<double>(timeOf(run, kernel)) * factor.toDouble() > static_cast<double>(limits::kTimeNs);
      if (isTooLong) return;
      const int64_t ownNs = schedule::scaled(timeOf(run, kernel), factor);
      separateNs += ownNs;
      isTooLong |= separateNs > limits::kTimeNs;
      totalNs += ownNs - (work ? work->savedNs(kernel, ownNs, fused) : 0);
    }
    if (timed.size() < 2 || isTooLong) return;
    if (work) totalNs = std::min(separateNs, std::max(totalNs, work->leastNs(group, fused)));
    const ir::KernelId last = *std::max_element(timed.begin(), timed.end(), [&](ir::KernelId a, ir::KernelId b) {
      return std::pair(lastEvent(run, a), a) < std::pair(lastEvent(run, b), b);
    });
    for (const ir::KernelId kernel : timed)
      if (kernel != last) removeFrom(run, kernel);
    factors_[run].device.kernels[last] = Rational::of(totalNs, timeOf(run, last));
    ++changedKernels_;
  }

  /// What the work of kernels says of a run; nullopt if nobody described its device.
  std::optional<WorkFactors> workOf(size_t run) const {
    if (runs_[run].work == nullptr) return std::nullopt;
    WorkFactors work(module_.cover(runs_[run].cover), *runs_[run].work, batch_);
    return work.isKnown() ? std::optional(work) : std::nullopt;
  }

  /// All changes of the batch together, which come before fusing: a fused kernel has the work of the larger batch.
  void setBatch() {
    const ir::Change* last = nullptr;
    for (const ir::Change& change : scenario_.changes) {
      if (change.kind != ir::ChangeKind::Batch) continue;
      batch_ = batch_ * *change.factor;
      last = &change;
    }
    if (last == nullptr) return;
    size_t guessed = 0, all = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const auto work = workOf(i);
      DeviceFactors& device = factors_[i].device;
      device.unbound = device.unbound * batch_;
      for (const ir::KernelId kernel : device.kernels.ids()) {
        if (timeOf(i, kernel) == 0) continue;
        const auto factor = work ? work->underBatch(kernel) : std::nullopt;
        guessed += !factor;
        ++all;
        device.kernels[kernel] = device.kernels[kernel] * factor.value_or(batch_);
        ++changedKernels_;
      }
    }
    if (guessed > 0)
      warn(DiagId::ChangeDeclined, *last,
           fmt::format("has no roof for {} of {}, which take as many times as long", guessed, plural(all, "kernel")));
  }

  EventIndex lastEvent(size_t run, ir::KernelId kernel) {
    if (lastEvents_.empty()) lastEvents_.resize(runs_.size());
    auto& events = lastEvents_[run];
    if (events.empty()) {
      const ir::Cover& cover = module_.cover(runs_[run].cover);
      events.assign(cover.kernels.size(), 0);
      for (const OwnedEvents& iteration : ownedEvents(*module_.findTimeline(cover.traceLabel), cover))
        for (size_t i = 0; i < iteration.events.size(); ++i)
          if (iteration.owners[i] != kUnboundOwner) events[iteration.owners[i]] = iteration.events[i];
    }
    return events[kernel];
  }

  bool capture(const ir::Change& change) {
    if (change.selectors.empty()) {
      for (ScenarioFactors& one : factors_) one.structure.graph.emplace();
      return true;
    }
    auto selected = select(change);
    if (!selected) return false;
    for (size_t i = 0; i < runs_.size(); ++i) {
      auto& graph = factors_[i].structure.graph;
      // All work stays all work.
      if (graph && !graph->kernels) continue;
      if (!graph) graph.emplace().kernels.emplace();
      graph->kernels->insert(graph->kernels->end(), (*selected)[i].begin(), (*selected)[i].end());
      sortUnique(*graph->kernels);
    }
    return true;
  }

  bool move(const ir::Change& change) {
    auto selected = select(change);
    if (!selected) return false;
    bool any = false;
    size_t inBodies = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      for (const ir::KernelId kernel : (*selected)[i]) inBodies += runs_[i].graph.graphOf(kernel) != ir::kMainGraph;
      if (runs_[i].model == nullptr) continue;
      if (change.stream && runs_[i].model->calls.findStream(*change.stream) == schedule::kNoTrack) continue;
      any = true;
      factors_[i].structure.moves.push_back({std::move((*selected)[i]), change.stream});
    }
    if (!any) return fail(change, fmt::format("no run has a stream {}", *change.stream));
    if (inBodies > 0)
      warn(DiagId::ChangeDeclined, change,
           fmt::format("leaves {} in bodies of loops and branches where they are", plural(inBodies, "kernel")));
    return true;
  }

  bool fail(const ir::Change& change, const std::string& message) {
    context_.diagnostics.error(DiagId::SpeedupSelectsNothing, change.range, message);
    return false;
  }

  const ir::Module& module_;
  const ir::Scenario& scenario_;
  const std::vector<PredictedRun>& runs_;
  int64_t& changedKernels_;
  PassContext& context_;
  std::vector<const KernelNames*> names_;
  std::vector<ScenarioFactors> factors_;
  Rational batch_ = Rational::of(1);
  /// By run: groups of kernels that become one.
  std::vector<std::vector<std::vector<ir::KernelId>>> fusions_;
  const ir::Change* lastFuse_ = nullptr;
  /// By run and kernel; filled when a change asks.
  std::vector<IdVector<ir::KernelId, EventIndex>> lastEvents_;
};

}  // namespace

std::vector<PredictedRun> predictedRuns(const ir::Module& module, PassContext& context) {
  std::vector<PredictedRun> runs;
  for (const ir::CoverId id : module.coverIds()) {
    const ir::Cover& cover = module.cover(id);
    if (!cover.facets.get<ir::TimedFacet>()) continue;
    // A replay is a fact of the run that `schedule` establishes.
    const schedule::RunModel* model =
        module.has(ir::Facet::Schedule) ? context.analyses.get<RunModelAnalysis>(id).model() : nullptr;
    runs.push_back({id, KernelNames(module, cover), context.analyses.get<ir::KernelGraph>(id), model});
  }
  return runs;
}

std::optional<std::vector<ScenarioFactors>> resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                                            const std::vector<PredictedRun>& runs,
                                                            int64_t& changedKernels, PassContext& context) {
  return Resolver(module, scenario, runs, changedKernels, context).resolve();
}

}  // namespace amdahlc
