#include "passes/speedup_rewrite/offered_changes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/facets/timed.h"
#include "passes/speedup_rewrite/fused_kernels.h"
#include "passes/speedup_rewrite/kernel_needs.h"
#include "passes/speedup_rewrite/work_factors.h"
#include "replay/schedule/dropped_waits.h"
#include "replay/schedule/scaled_time.h"
#include "support/case_folding.h"
#include "support/sort_unique.h"

namespace amdahlc {
namespace {

ir::Change changeOf(ir::ChangeKind kind, std::vector<ir::Selector> selectors = {},
                    std::optional<Rational> factor = std::nullopt) {
  ir::Change change;
  change.kind = kind;
  change.selectors = std::move(selectors);
  change.factor = factor;
  return change;
}

/// Of names of work of the host, and of scopes that are fused: those with the most time.
constexpr size_t kMostNames = 200, kMostFusedScopes = 100;
/// A scope of more kernels does not become one.
constexpr size_t kMostParts = 64;
constexpr Rational kBatches[] = {{2, 1}, {4, 1}, {8, 1}};

class Offering {
 public:
  Offering(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
           const std::vector<ir::Change>& asked)
      : module_(module), runs_(runs), run_(runs[run]), cover_(module.cover(run_.cover)), asked_(asked) {}

  OfferedChanges offer() {
    addBatches();
    addKernels();
    addWholes();
    addPhases();
    addFused();
    addAsked();
    out_.offer.iterations = cover_.facets.get<ir::TimedFacet>()->run.reportedIterations();
    if (run_.model != nullptr) out_.offer.needs = kernelNeeds(run_.graph, run_.kernels->events.owners);
    return std::move(out_);
  }

 private:
  void add(OfferedChange change, const ir::Change& written) {
    out_.offer.changes.push_back(std::move(change));
    out_.texts.push_back(ir::describe(written));
  }
  void add(OfferedChange change, ir::SelectorKind kind, std::string text = {}) {
    ir::Change written;
    written.selectors.push_back({kind, std::move(text)});
    add(std::move(change), written);
  }

  bool hasTime(ir::KernelId kernel) const { return run_.kernels->kernelNs[kernel] > 0; }
  int64_t timeOf(const std::vector<ir::KernelId>& kernels) const {
    int64_t ns = 0;
    for (const ir::KernelId kernel : kernels) ns += run_.kernels->kernelNs[kernel];
    return ns;
  }

  void addKernels() {
    for (const ir::KernelId kernel : cover_.kernels.ids())
      if (hasTime(kernel))
        add({.subject = ChangeSubject::Kernels, .kernels = {kernel}}, ir::SelectorKind::KernelId,
            std::to_string(kernel.index()));
    for (const ir::SelectorKind kind :
         {ir::SelectorKind::Rule, ir::SelectorKind::Category, ir::SelectorKind::OperatorType}) {
      std::set<std::string> keys;
      for (const std::string& word : run_.names.vocabulary(kind))
        if (keys.insert(toLower(word)).second) addGroup(kind, word);
    }
    for (const std::string& scope : scopes()) addGroup(ir::SelectorKind::Scope, scope);
  }

  void addGroup(ir::SelectorKind kind, const std::string& word) {
    std::vector<ir::KernelId> kernels = run_.names.select({kind, word});
    if (std::ranges::any_of(kernels, [&](ir::KernelId kernel) { return hasTime(kernel); }))
      add({.subject = ChangeSubject::Kernels, .kernels = std::move(kernels)}, kind, word);
  }

  /// Those of kernels, and all around them.
  std::vector<std::string> scopes() const {
    std::set<ir::ScopeId> found;
    for (const ir::Kernel& kernel : cover_.kernels)
      for (ir::ScopeId scope = ir::kernelScope(module_, kernel); scope != ir::kRootScope && found.insert(scope).second;)
        scope = module_.scopes[scope].parent;
    std::vector<std::string> paths;
    for (const ir::ScopeId scope : found) paths.push_back(module_.scopePath(scope));
    sortUnique(paths);
    return paths;
  }

  void addWholes() {
    add({.subject = ChangeSubject::Device}, ir::SelectorKind::Device);
    if (run_.model == nullptr && run_.oneThread == nullptr) return;
    add({.subject = ChangeSubject::Host}, ir::SelectorKind::Host);
    if (run_.model != nullptr) add({.subject = ChangeSubject::Launches}, ir::SelectorKind::Launches);
    for (const std::string& name : hostWork())
      add({.subject = ChangeSubject::HostWork, .name = name}, ir::SelectorKind::HostOperator, name);
    if (run_.model == nullptr) return;
    addWaits();
    const schedule::RunCalls& calls = run_.model->calls;
    const schedule::EventSet copies = schedule::copiesBetweenOtherWork(calls, schedule::allSelected(calls.timeline()));
    if (std::ranges::find(copies, true) != copies.end())
      add({.subject = ChangeSubject::Copies}, changeOf(ir::ChangeKind::OverlapCopies));
    add({.subject = ChangeSubject::AllLaunches}, changeOf(ir::ChangeKind::Graph));
  }

  /// The names of what runs on threads with calls, the longest first.
  std::vector<std::string> hostWork() const {
    const Timeline& timeline = *module_.findTimeline(cover_.traceLabel);
    const HostFacts& host = *timeline.host;
    std::map<std::string, int64_t, std::less<>> times;
    for (const std::string& name :
         run_.model != nullptr ? schedule::namesOfHostWork(run_.model->calls) : run_.oneThread->names())
      times[name] = 0;
    for (const HostEventId event : host.kind.ids())
      if (const auto found = times.find(timeline.text(host.name[event]));
          found != times.end() && (run_.model == nullptr || run_.model->calls.threadOf(event) != schedule::kNoTrack))
        found->second += host.durationNs[event];
    return longest(times);
  }

  /// The names with the most time.
  static std::vector<std::string> longest(const std::map<std::string, int64_t, std::less<>>& times) {
    std::vector<std::pair<int64_t, std::string>> order;
    for (const auto& [name, ns] : times)
      if (!name.empty()) order.emplace_back(-ns, name);
    std::ranges::sort(order);
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(order.size(), kMostNames); ++i) names.push_back(std::move(order[i].second));
    return names;
  }

  void addWaits() {
    const HostFacts& host = run_.model->calls.host();
    auto waits = schedule::waitsByName(*run_.model);
    std::map<std::string, int64_t, std::less<>> times;
    for (const auto& [name, calls] : waits)
      for (const HostEventId call : calls) times[name] += host.durationNs[call];
    for (const std::string& name : longest(times))
      add({.subject = ChangeSubject::Waits, .waits = std::move(waits[name])}, ir::SelectorKind::Wait, name);
  }

  /// What options and advice name otherwise than the page does by itself.
  void addAsked() {
    std::set<std::string> offered(out_.texts.begin(), out_.texts.end());
    for (const ir::Change& change : asked_) {
      // A page writes what is done with kernels around their selectors.
      ir::Change written = changeOf(ir::ChangeKind::NewTime, change.selectors);
      if (change.kind == ir::ChangeKind::Fuse) written.kind = ir::ChangeKind::Fuse;
      const bool isOfKernels = std::ranges::all_of(change.selectors, [](const ir::Selector& one) {
        return ir::subjectOf(one.kind) == ir::SelectorSubject::Kernels;
      });
      if (!isOfKernels || change.selectors.empty() || !offered.insert(ir::describe(written)).second) continue;
      if (change.kind == ir::ChangeKind::Fuse) {
        addGroups(written, fusedBy(change.selectors));
        continue;
      }
      std::vector<ir::KernelId> kernels = selectedBy(change.selectors);
      if (std::ranges::any_of(kernels, [&](ir::KernelId kernel) { return hasTime(kernel); }))
        add({.subject = ChangeSubject::Kernels, .value = change.selectors.size() > 1, .kernels = std::move(kernels)},
            written);
    }
  }

  std::vector<ir::KernelId> selectedBy(const std::vector<ir::Selector>& selectors) const {
    std::vector<ir::KernelId> kernels;
    for (const ir::Selector& selector : selectors)
      for (const ir::KernelId kernel : run_.names.select(withKind(selector, runs_))) kernels.push_back(kernel);
    sortUnique(kernels);
    return kernels;
  }

  /// As a scenario of this change alone would.
  std::vector<std::vector<ir::KernelId>> fusedBy(const std::vector<ir::Selector>& selectors) const {
    std::vector<std::vector<ir::KernelId>> groups;
    std::vector<ir::Selector> others;
    for (const ir::Selector& selector : selectors) {
      const ir::Selector known = withKind(selector, runs_);
      if (isOfRules(known))
        std::ranges::move(fusedByRules(module_, cover_, run_.graph, known).groups, std::back_inserter(groups));
      else
        others.push_back(known);
    }
    std::ranges::move(fusedNeighbours(run_.graph, selectedBy(others)).groups, std::back_inserter(groups));
    return groups;
  }

  /// Whether a rule of this name fuses kernels in any run.
  bool isOfRules(const ir::Selector& selector) const {
    return std::ranges::any_of(runs_, [&](const PredictedRun& run) {
      return !fusedByRules(module_, module_.cover(run.cover), run.graph, selector).groups.empty();
    });
  }

  void addPhases() {
    for (uint32_t phase = 0; phase < kPhaseCount; ++phase)
      if (run_.phases->times()[phase].events > 0)
        add({.subject = ChangeSubject::Phase, .value = phase}, ir::SelectorKind::Phase,
            std::string(kPhaseNames[phase]));
    const ForwardGroups* known = run_.forwards->known();
    if (known == nullptr) return;
    for (uint32_t group = 0; group < known->groups.size(); ++group)
      add({.subject = ChangeSubject::Forwards, .value = group}, ir::SelectorKind::Forward, known->groups[group].name);
  }

  void addBatches() {
    std::set<Rational> ratios(std::begin(kBatches), std::end(kBatches));
    for (const ir::Change& change : asked_)
      if (change.kind == ir::ChangeKind::Batch) ratios.insert(*change.factor);
    for (const Rational& ratio : ratios) {
      OfferedBatch& batch = out_.offer.batches.emplace_back(OfferedBatch{ratio, {}});
      std::optional<WorkFactors> work;
      if (run_.isDescribed()) work.emplace(*run_.roofline, batch.ratio);
      for (const ir::KernelId kernel : cover_.kernels.ids())
        batch.factors.push_back(work && hasTime(kernel) ? work->underBatch(kernel) : std::nullopt);
      add({.subject = ChangeSubject::Batch, .value = static_cast<uint32_t>(out_.offer.batches.size() - 1)},
          changeOf(ir::ChangeKind::Batch, {}, batch.ratio));
    }
  }

  void addFused() {
    std::map<std::string, std::string> rules;
    for (const ir::Candidate& candidate : module_.candidates) {
      const std::string& name = module_.rules.rules[candidate.rule].name;
      rules.emplace(toLower(name), name);
    }
    for (const auto& [key, name] : rules) addFusedBy({ir::SelectorKind::Rule, name});
    std::vector<std::pair<int64_t, std::string>> order;
    for (const std::string& scope : scopes()) {
      const std::vector<ir::KernelId> kernels = run_.names.select({ir::SelectorKind::Scope, scope});
      const auto timed = std::ranges::count_if(kernels, [&](ir::KernelId kernel) { return hasTime(kernel); });
      if (timed > 1 && kernels.size() <= kMostParts) order.emplace_back(-timeOf(kernels), scope);
    }
    std::ranges::sort(order);
    if (order.size() > kMostFusedScopes) order.resize(kMostFusedScopes);
    for (const auto& [ns, scope] : order) {
      addFusedBy({ir::SelectorKind::Scope, scope});
    }
  }

  void addFusedBy(const ir::Selector& selector) {
    addGroups(changeOf(ir::ChangeKind::Fuse, {selector}), fusedBy({selector}));
  }

  void addGroups(const ir::Change& written, const std::vector<std::vector<ir::KernelId>>& groups) {
    const FusedKernels merged = mergedGroups(run_.graph, groups);
    if (std::ranges::none_of(merged.groups, [&](const std::vector<ir::KernelId>& group) {
          return std::ranges::count_if(group, [&](ir::KernelId kernel) { return hasTime(kernel); }) > 1;
        }))
      return;
    OfferedChange change{.subject = ChangeSubject::Fused};
    for (size_t batch = 0; batch <= out_.offer.batches.size(); ++batch) {
      std::optional<WorkFactors> work;
      if (run_.isDescribed())
        work.emplace(*run_.roofline, batch == 0 ? Rational::of(1) : out_.offer.batches[batch - 1].ratio);
      std::vector<FusedGroup>& fused = change.fused.emplace_back();
      for (const std::vector<ir::KernelId>& group : merged.groups) fused.push_back(fusedGroup(group, work));
    }
    add(std::move(change), written);
  }

  const ir::Module& module_;
  const std::vector<PredictedRun>& runs_;
  const PredictedRun& run_;
  const ir::Cover& cover_;
  const std::vector<ir::Change>& asked_;
  OfferedChanges out_;
};

}  // namespace

OfferedChanges offeredChanges(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                              const std::vector<ir::Change>& asked) {
  return Offering(module, runs, run, asked).offer();
}

}  // namespace amdahlc
