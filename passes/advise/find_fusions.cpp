// Kernels that could be one: by a rule, as a library or a runtime does, or because they follow one another and multiply
// no matrices, as a compiler does.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "ir/applicability.h"
#include "passes/advise/finders.h"
#include "passes/speedup_rewrite/fused_kernels.h"
#include "passes/timing/timing_analysis.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Rules that could fuse something, of the most time first.
constexpr size_t kMostFusions = 4;
constexpr size_t kMostSearchedRules = 64;

/// A change and the kernels that it makes one.
struct Fusion {
  std::vector<ir::Selector> selectors;
  Remedy remedy = Remedy::Compile;
  /// Those of several kernels with time.
  std::vector<std::vector<ir::KernelId>> groups = {};
  /// All of them.
  std::vector<ir::KernelId> kernels = {};
  int64_t ns = 0;
};

class FusionFinder {
 public:
  explicit FusionFinder(AdvisedRun& run) : run_(run) {}

  void find(std::vector<AdviceCandidate>& candidates) {
    addRules();
    if (!run_.module.hasDataEdges()) {
      addAttentionByOrder();
      // On a device, rules alone tell which products take along what follows them.
      if (!run_.timeline.hasDevice) addEpiloguesByOrder();
    }
    measure(0);
    std::ranges::stable_sort(fusions_, std::ranges::greater(), &Fusion::ns);
    if (fusions_.size() > kMostFusions) fusions_.resize(kMostFusions);
    const size_t measured = fusions_.size();
    addNeighbours();
    measure(measured);
    for (const Fusion& fusion : fusions_)
      if (!fusion.groups.empty() && run_.partOfBusy(fusion.ns) >= kLeastShare)
        candidates.push_back(candidateOf(fusion));
  }

 private:
  void add(const FusedKernels& fused, std::vector<ir::Selector> selectors, Remedy remedy) {
    Fusion fusion{std::move(selectors), remedy};
    for (const std::vector<ir::KernelId>& group : fused.groups) {
      const auto hasTime = [&](ir::KernelId kernel) { return run_.timeOf(kernel) > 0; };
      if (std::ranges::count_if(group, hasTime) < 2) continue;
      std::ranges::copy_if(group, std::back_inserter(fusion.kernels), hasTime);
      fusion.groups.push_back(group);
    }
    fusions_.push_back(std::move(fusion));
  }

  /// A module with runs of several runtimes has rules of all of them. Only rules with a match: each search walks over
  /// all candidates.
  void addRules() {
    const auto admitted = rulesOn(run_.module.rules, run_.timeline.target);
    std::map<std::string, const ir::Rule*> rules;
    for (const ir::Candidate& candidate : run_.module.candidates)
      if (candidate.owned > 1 && admitted[candidate.rule]) {
        const ir::Rule& rule = run_.module.rules.rules[candidate.rule];
        rules.emplace(rule.name, &rule);
      }
    if (rules.size() > kMostSearchedRules)
      return run_.notes.push_back(fmt::format(
          "{} match several operators, so many that it was not tried what they fuse", plural(rules.size(), "rule")));
    for (const auto& [name, rule] : rules) {
      const ir::Selector selector{ir::SelectorKind::Rule, name};
      add(fusedByRules(run_.module, run_.cover, run_.predicted().graph, selector), {selector},
          rule->category == "attention" ? Remedy::FuseAttention : Remedy::Compile);
      Fusion& fusion = fusions_.back();
      if (fusion.remedy == Remedy::Compile && run_.roofline != nullptr &&
          std::ranges::any_of(fusion.groups, [&](const auto& group) { return onlyProductNs(group) > 0; }))
        fusion.remedy = Remedy::Epilogue;
    }
  }

  /// Attention that is spelled out in a run of which the order of the calls is known alone: a product, what scales and
  /// masks it, its softmax, and a product with that, one after the other, all with the dimensions of the first result.
  void addAttentionByOrder() {
    std::vector<ir::KernelId> timed;
    for (const ir::Kernel& kernel : run_.cover.kernels)
      if (run_.timeOf(kernel.id) > 0) timed.push_back(kernel.id);
    Fusion fusion{{}, Remedy::FuseAttention};
    for (size_t first = 0; first < timed.size(); ++first) {
      const std::vector<ir::Dim> scores = dimsOfProduct(timed[first]);
      if (scores.size() < 3) continue;
      size_t at = first + 1;
      bool hasSoftmax = false;
      const auto continues = [&](ir::KernelId kernel) {
        const std::string category = ir::kernelCategory(run_.module, run_.cover.kernels[kernel]);
        const bool isSoftmax = !hasSoftmax && category == "softmax";
        hasSoftmax |= isSoftmax;
        return (isSoftmax || category == "elementwise") && readsFirst(kernel, scores);
      };
      while (at < timed.size() && continues(timed[at])) ++at;
      if (!hasSoftmax || at == timed.size() || dimsOfProduct(timed[at]).empty() || !readsFirst(timed[at], scores))
        continue;
      std::vector<ir::KernelId> group(timed.begin() + static_cast<ptrdiff_t>(first),
                                      timed.begin() + static_cast<ptrdiff_t>(at) + 1);
      for (const ir::KernelId kernel : group) {
        fusion.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
        fusion.kernels.push_back(kernel);
      }
      fusion.groups.push_back(std::move(group));
      first = at;
    }
    if (!fusion.groups.empty()) fusions_.push_back(std::move(fusion));
  }

  /// Products with weights, each with the activation that follows it and reads as much as it makes.
  void addEpiloguesByOrder() {
    std::vector<ir::KernelId> timed;
    for (const ir::Kernel& kernel : run_.cover.kernels)
      if (run_.timeOf(kernel.id) > 0) timed.push_back(kernel.id);
    Fusion fusion{{}, Remedy::Epilogue};
    for (size_t i = 1; i < timed.size(); ++i) {
      const ir::KernelId product = timed[i - 1], next = timed[i];
      if (ir::kernelCategory(run_.module, run_.cover.kernels[product]) != "gemm" ||
          ir::kernelCategory(run_.module, run_.cover.kernels[next]) != "activation")
        continue;
      const ir::Op& last = run_.module.ops[run_.cover.kernels[product].ops.back()];
      const ir::Type& made = run_.module.values[last.outputs.front()].type;
      if (!made.isStatic() || !readsFirst(next, made.dims)) continue;
      for (const ir::KernelId kernel : {product, next}) {
        fusion.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
        fusion.kernels.push_back(kernel);
      }
      fusion.groups.push_back({product, next});
    }
    if (!fusion.groups.empty()) fusions_.push_back(std::move(fusion));
  }

  /// The tensor that the first operator of a kernel reads first has these dimensions.
  bool readsFirst(ir::KernelId kernel, const std::vector<ir::Dim>& dims) const {
    const std::vector<ir::ValueId>& inputs = run_.module.ops[run_.cover.kernels[kernel].ops.front()].inputs;
    return !inputs.empty() && !inputs.front().isNone() && run_.module.values[inputs.front()].type.dims == dims;
  }

  /// Of the result of a product of two batches of matrices; empty for another kernel, and if they are not known.
  std::vector<ir::Dim> dimsOfProduct(ir::KernelId kernel) const {
    const ir::Op& op = run_.module.ops[run_.cover.kernels[kernel].ops.front()];
    if (run_.module.text(op.type) != "MatMul" || op.inputs.size() != 2) return {};
    std::vector<ir::Dim> dims;
    for (const ir::ValueId input : op.inputs) {
      if (input.isNone() || !run_.module.values[input].type.isStatic()) return {};
      const std::vector<ir::Dim>& own = run_.module.values[input].type.dims;
      if (own.size() < 3) return {};
      if (dims.empty())
        dims = own;
      else
        dims.back() = own.back();
    }
    return dims;
  }

  void addNeighbours() {
    const std::vector<ir::Selector> selectors = categoriesWithoutProducts();
    if (selectors.empty()) return;
    std::vector<ir::KernelId> kernels;
    for (const ir::Selector& selector : selectors)
      for (const ir::KernelId kernel : run_.predicted().names.select(selector)) kernels.push_back(kernel);
    std::sort(kernels.begin(), kernels.end());
    add(fusedNeighbours(run_.predicted().graph, kernels), selectors, Remedy::Compile);
  }

  /// Categories of which the work of all kernels with time is known, and no kernel multiplies matrices; where the
  /// device is described, memory must bound all of them.
  std::vector<ir::Selector> categoriesWithoutProducts() const {
    if (run_.roofline == nullptr) return {};
    std::map<std::string, bool> isOne;
    for (const ir::Kernel& kernel : run_.cover.kernels) {
      if (run_.timeOf(kernel.id) == 0) continue;
      const KernelWorkOf& work = run_.roofline->work(kernel.id);
      const auto& attainable = run_.roofline->kernels[kernel.id].attainable;
      const bool one = work.isKnown() && work.matrixFlops.empty() && work.bytes() > 0 &&
                       (!run_.predicted().isDescribed() || (attainable && attainable->isMemoryBound()));
      auto [category, isNew] = isOne.emplace(ir::kernelCategory(run_.module, kernel), one);
      category->second = category->second && one;
    }
    std::vector<ir::Selector> selectors;
    for (const auto& [category, one] : isOne)
      if (one) selectors.push_back({ir::SelectorKind::Category, category});
    return selectors;
  }

  /// The fusions from the `first` one on.
  void measure(size_t first) {
    const std::span<Fusion> fusions = std::span(fusions_).subspan(first);
    std::vector<std::vector<ir::KernelId>> kernels;
    for (const Fusion& fusion : fusions) kernels.push_back(fusion.kernels);
    const std::vector<int64_t> timesNs = timesOfGroups(run_.timeline, run_.cover, kernels);
    for (size_t i = 0; i < fusions.size(); ++i) fusions[i].ns = timesNs[i];
  }

  AdviceCandidate candidateOf(const Fusion& fusion) const {
    AdviceCandidate candidate = changeOfProgram(
        run_, ir::ChangeKind::Fuse, fusion.selectors,
        fmt::format("{}: {}",
                    fusion.remedy == Remedy::FuseAttention
                        ? std::string("compute attention in one call")
                        : fmt::format("fuse {} into {}", plural(fusion.kernels.size(), "kernel"), fusion.groups.size()),
                    run_.remedy(fusion.remedy)),
        fmt::format("{} of busy time; fewer launches, and less traffic between them",
                    formatPercent(run_.partOfBusy(fusion.ns))));
    if (!run_.module.hasDataEdges())
      candidate.assumption +=
          "; and that each of these kernels reads what the one before it made: the trace has their order alone";
    candidate.places = run_.placesOf(fusion.kernels);
    candidate.kernels = fusion.kernels;
    candidate.replacesKernels = true;
    candidate.idleNs = run_.idleBehind(fusion.kernels);
    std::vector<ir::Change> likely, atMost;
    for (const std::vector<ir::KernelId>& group : fusion.groups) {
      const auto [likelyNs, leastNs] = timesOfFused(group);
      replace(group, likelyNs, likely);
      replace(group, leastNs, atMost);
    }
    candidate.isCertain = false;
    candidate.certain = std::exchange(candidate.likely, std::move(likely));
    candidate.atMost = std::move(atMost);
    return candidate;
  }

  /// At the rates of the run, and at the least: in ns over the reported iterations.
  std::pair<double, double> timesOfFused(const std::vector<ir::KernelId>& group) const {
    double separateNs = 0;
    for (const ir::KernelId kernel : group) separateNs += static_cast<double>(run_.timeOf(kernel));
    if (run_.roofline == nullptr) return {separateNs, 0};
    const auto& runs = run_.roofline->kernels[group.front()].runs;
    const KernelWorkOf work = run_.module.hasDataEdges() ? run_.roofline->work().fused(group) : fusedInOrder(group);
    if (!work.isKnown() || !runs) return {separateNs, 0};
    double leastNs = static_cast<double>(run_.shortestNs) * *runs;
    if (run_.predicted().isDescribed())
      if (const auto roof = attainable(work, *run_.roofline->hardware, run_.roofline->float32))
        leastNs = std::max(leastNs, roof->ns() * *runs);
    leastNs = std::min(leastNs, separateNs);
    const auto each = run_.rates.ns(work);
    // A product that takes what follows it along is the same product: it does not get faster.
    const double productNs = onlyProductNs(group);
    return {each ? std::clamp(std::max(*each * *runs, productNs), leastNs, separateNs) : separateNs, leastNs};
  }

  /// Without data between the calls: what a kernel writes and the next one reads, of as many bytes, is one tensor.
  KernelWorkOf fusedInOrder(const std::vector<ir::KernelId>& group) const {
    KernelWorkOf all;
    for (const ir::KernelId kernel : group) {
      const KernelWorkOf& one = run_.roofline->work(kernel);
      if (!one.isKnown()) return one;
      std::vector<TensorTraffic> reads = one.reads;
      const auto made =
          all.writes.empty() ? reads.end() : std::ranges::find(reads, all.writes.back().bytes, &TensorTraffic::bytes);
      if (made != reads.end()) {
        reads.erase(made);
        all.writes.pop_back();
      }
      all.reads.insert(all.reads.end(), reads.begin(), reads.end());
      all.writes.insert(all.writes.end(), one.writes.begin(), one.writes.end());
      for (const auto& [type, flops] : one.matrixFlops) all.matrixFlops[type] += flops;
      for (const auto& [type, flops] : one.vectorFlops) all.vectorFlops[type] += flops;
    }
    return all;
  }

  /// The time of the one kernel of the group that multiplies matrices; 0 if none does, or if several do: what makes one
  /// of these is another algorithm.
  double onlyProductNs(const std::vector<ir::KernelId>& group) const {
    const auto multiplies = [&](ir::KernelId kernel) { return !run_.roofline->work(kernel).matrixFlops.empty(); };
    const auto found = std::ranges::find_if(group, multiplies);
    if (std::ranges::count_if(group, multiplies) != 1) return 0;
    return static_cast<double>(run_.timeOf(*found));
  }

  /// The last kernel of the group takes this time, and the others do not run.
  void replace(const std::vector<ir::KernelId>& group, double ns, std::vector<ir::Change>& changes) const {
    std::vector<ir::KernelId> timed;
    std::ranges::copy_if(group, std::back_inserter(timed),
                         [&](ir::KernelId kernel) { return run_.timeOf(kernel) > 0; });
    changes.push_back(run_.newTime(timed.back(), ns));
    ir::Change removed;
    removed.kind = ir::ChangeKind::Remove;
    for (const ir::KernelId kernel : std::span(timed).first(timed.size() - 1))
      removed.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
    changes.push_back(std::move(removed));
  }

  AdvisedRun& run_;
  std::vector<Fusion> fusions_;
};

}  // namespace

void findFusions(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) { FusionFinder(run).find(candidates); }

}  // namespace amdahlc
