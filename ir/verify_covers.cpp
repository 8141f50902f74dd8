#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ir/invariants.h"
#include "ir/kernel_graph.h"

namespace amdahlc::ir {

namespace {

/// Checks one cover. Precondition: the module's graphs, candidates and timelines are valid.
class CoverVerifier {
 public:
  CoverVerifier(const Module& module, const OperatorGraph* graph, const Cover& cover, InvariantReporter& reporter)
      : module_(module),
        graph_(graph),
        cover_(cover),
        timeline_(module.findTimeline(cover.traceLabel)),
        reporter_(reporter) {}

  void run() {
    if (!cover_.traceLabel.empty() && timeline_ == nullptr) return report("of no timeline `" + cover_.traceLabel + "`");
    if (cover_.name != (cover_.traceLabel.empty() ? kDefaultCover : cover_.traceLabel))
      return report(cover_.traceLabel.empty() ? "has no trace, but is not named `default`"
                                              : "has the trace `" + cover_.traceLabel + "`, but not its name");
    if (!verifyKernels()) return;
    verifyPartition();
    verifyNumbers();
  }

 private:
  void report(const std::string& message) { CoverReporter(cover_, reporter_).cover(message); }
  void report(const Kernel& kernel, const std::string& message) {
    CoverReporter(cover_, reporter_).kernel(kernel.id, message);
  }

  /// The defect of a kernel's operators, or empty.
  std::string operatorDefect(const Kernel& kernel) const {
    if (kernel.ops.empty() || !strictlyAscending(std::vector<OpId>(kernel.ops.begin() + 1, kernel.ops.end())))
      return "operators missing or not ascending";
    std::vector<OpId> ops = kernel.ops;
    std::ranges::sort(ops);
    if (!strictlyAscending(ops)) return "an operator twice";
    if (!module_.ops.contains(ops.back())) return "an operator that does not exist";
    if (!kernel.candidate) {
      if (kernel.isNamedByTrace() && cover_.traceLabel.empty())
        return "several operators without a candidate or a trace";
      const GraphId graph = module_.ops[ops.front()].graph;
      for (const OpId op : ops) {
        if (module_.ops[op].state != OpState::Live) return "an erased operator";
        if (module_.ops[op].graph != graph) return "operators of several graphs";
      }
      return {};
    }
    if (!module_.candidates.contains(*kernel.candidate)) return "no such candidate";
    const Candidate& candidate = module_.candidates[*kernel.candidate];
    if (candidate.ops != ops) return "other operators than candidate " + number(*kernel.candidate);
    if (candidate.anchor != kernel.anchor()) return "another anchor than candidate " + number(*kernel.candidate);
    return {};
  }

  bool verifyKernels() {
    bool sound = true;
    for (const KernelId id : cover_.kernels.ids()) {
      std::string defect = operatorDefect(cover_.kernels[id]);
      if (cover_.kernels[id].id != id) defect = "is at index " + number(id);
      if (defect.empty()) continue;
      report(cover_.kernels[id], defect);
      sound = false;
    }
    return sound;
  }

  bool recomputes(const Kernel& kernel) const {
    return kernel.candidate && module_.ruleOf(*kernel.candidate).recompute;
  }

  /// Checks that every live operator is in one kernel, or in several of which all but one may recompute it.
  void verifyPartition() {
    IdVector<OpId, uint32_t> holders(module_.ops.size(), 0), firm(module_.ops.size(), 0);
    for (const Kernel& kernel : cover_.kernels) {
      for (const OpId op : kernel.ops) {
        ++holders[op];
        if (!recomputes(kernel)) ++firm[op];
      }
    }
    for (const OpId op : module_.ops.ids()) {
      if (module_.ops[op].state == OpState::Live && holders[op] == 0) report("no kernel holds `#" + number(op) + "`");
      if (firm[op] > 1) report(number(firm[op]) + " kernels that do not recompute hold `#" + number(op) + "`");
    }
  }

  /// `kernels 1, 4 and 7 wait for each other`.
  static std::string waitingKernels(std::vector<size_t> kernels) {
    constexpr size_t kMostNamed = 8;
    const size_t others = kernels.size() - std::min(kernels.size(), kMostNamed);
    kernels.resize(kernels.size() - others);
    const std::string last = others > 0 ? std::to_string(others) + " others" : std::to_string(kernels.back());
    if (others == 0) kernels.pop_back();
    return fmt::format("kernels {} and {} wait for each other", fmt::join(kernels, ", "), last);
  }

  void verifyNumbers() {
    if (graph_ == nullptr || !reporter_.sound()) return;
    const auto numbered = numberKernels(module_, *graph_, cover_.kernels);
    if (!numbered)
      return report("its kernel graph is cyclic: " + waitingKernels(cycleOf(module_, *graph_, cover_.kernels)));
    for (const KernelId id : numbered->ids()) {
      if ((*numbered)[id].ops == cover_.kernels[id].ops) continue;
      return report(cover_.kernels[id], "its id is not its rank in Kahn's order");
    }
  }

  const Module& module_;
  const OperatorGraph* graph_;
  const Cover& cover_;
  const Timeline* timeline_;
  InvariantReporter& reporter_;
};

}  // namespace

void verifyCovers(const Module& module, InvariantReporter& reporter) {
  // Only a valid module has an operator graph.
  std::optional<OperatorGraph> graph;
  if (reporter.sound() && !module.covers.empty()) graph.emplace(module);
  std::set<std::string_view> names;
  for (const Cover& cover : module.covers) {
    if (!names.insert(cover.name).second) reporter.module("cover `" + cover.name + "`: its name is not unique");
    CoverVerifier(module, graph ? &*graph : nullptr, cover, reporter).run();
  }
}

namespace {

/// The first run without a cover, which is not bound yet; null if every run has a cover.
const Timeline* unboundRun(const Module& module) {
  const auto found = std::ranges::find_if(
      module.timelines, [&](const Timeline& timeline) { return module.coverOfRun(timeline.label) == nullptr; });
  return found == module.timelines.end() ? nullptr : &*found;
}

/// Checks that a cover of a run stores exactly the established facets. While some run is not bound, no facet about runs
/// is established. Then a cover may store any facet for which it also stores all facets that it is derived from.
void verifyCoverFacets(const Module& module, const Cover& cover, bool allBound, InvariantReporter& reporter) {
  CoverReporter covers(cover, reporter);
  const FacetOwner owner{module, cover, module.findTimeline(cover.traceLabel)};
  FacetSet there = module.facets();
  for (const FacetInfo& row : allFacets()) {
    if (row.level == FacetLevel::Module) continue;
    const bool isThere = cover.facets.has(row.facet);
    const std::string facet = '`' + std::string(row.name) + '`';
    if (cover.traceLabel.empty()) {
      if (isThere) covers.cover(facet + " without a trace");
    } else if (!isThere && module.has(row.facet)) {
      covers.cover(facet + " is missing, but established");
    } else if (!isThere && row.facet == Facet::Bound) {
      covers.cover("has a trace, but `bound` is missing");
    } else if (isThere && allBound && !module.has(row.facet)) {
      covers.cover(facet + " is there, but not established");
    } else if (isThere && !there.containsAll(row.derivedFrom)) {
      covers.cover(facet + " is there without the facets that it is derived from");
    } else if (isThere) {
      there.insert(row.facet);
      cover.facets.visit(row.facet, [&](const auto& facts) { facts.verify(owner, covers); });
    }
    // Later facets may use indices that this facet found invalid.
    if (!reporter.sound()) return;
  }
}

}  // namespace

void verifyFacets(const Module& module, InvariantReporter& reporter) {
  if (module.has(Facet::Fused)) {
    if (module.covers.empty() || module.covers.front().name != kDefaultCover ||
        !module.covers.front().traceLabel.empty()) {
      reporter.module("`fused` is established, but the first cover is not `default`");
    }
  } else if (!module.covers.empty() || !module.candidates.empty()) {
    reporter.module("covers or candidates, but `fused` is not established");
  }
  for (const FacetInfo& facet : allFacets()) {
    if (!module.has(facet.facet)) continue;
    for (const FacetInfo& source : allFacets()) {
      if (!facet.derivedFrom.contains(source.facet) || module.has(source.facet)) continue;
      reporter.module('`' + std::string(facet.name) + "` is established without `" + std::string(source.name) + '`');
    }
  }
  const Timeline* unbound = unboundRun(module);
  for (const FacetInfo& facet : allFacets()) {
    if (facet.level != FacetLevel::Module && module.has(facet.facet) && unbound != nullptr) {
      reporter.module("timeline `" + unbound->label + "`: `" + std::string(facet.name) +
                      "` is established, but it has no cover");
    }
  }
  for (const Cover& cover : module.covers)
    if (reporter.sound()) verifyCoverFacets(module, cover, unbound == nullptr, reporter);
  std::set<std::string_view> names;
  for (const Scenario& scenario : module.scenarios) {
    if (!names.insert(scenario.name).second)
      reporter.module("scenario `" + scenario.name + "`: not the only one of this name");
    reporter.scenario(scenario);
  }
}

}  // namespace amdahlc::ir
