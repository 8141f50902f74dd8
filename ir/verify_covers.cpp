#include <algorithm>
#include <numeric>
#include <set>

#include "ir/invariants.h"
#include "ir/kernel_graph.h"

namespace amdahlc::ir {

namespace {

/// Checks one cover; the module's graphs, candidates and timelines are sound.
class CoverVerifier {
 public:
  CoverVerifier(const Module& module, const Cover& cover, InvariantReporter& reporter)
      : module_(module), cover_(cover), timeline_(module.findTimeline(cover.traceLabel)), reporter_(reporter) {}

  void run() {
    if (!cover_.traceLabel.empty() && timeline_ == nullptr) return report("of no timeline `" + cover_.traceLabel + "`");
    if (!verifyKernels()) return;
    verifyPartition();
    verifyNumbers();
    verifyEvents();
    verifyTimes();
    verifyPaths();
  }

 private:
  void report(const std::string& message) { reporter_.module("cover `" + cover_.name + "`: " + message); }
  void report(const Kernel& kernel, const std::string& message) {
    report("kernel " + number(kernel.id) + ": " + message);
  }

  /// What is wrong with the operators of a kernel, or empty.
  std::string operatorDefect(const Kernel& kernel) const {
    if (kernel.ops.empty() || !strictlyAscending(std::vector<OpId>(kernel.ops.begin() + 1, kernel.ops.end())))
      return "operators missing or not ascending";
    std::vector<OpId> ops = kernel.ops;
    std::sort(ops.begin(), ops.end());
    if (!strictlyAscending(ops)) return "an operator twice";
    if (!module_.ops.contains(ops.back())) return "an operator that does not exist";
    if (!kernel.candidate) {
      if (ops.size() != 1) return "several operators without a candidate";
      return module_.ops[ops.front()].state == OpState::Live ? "" : "an erased operator";
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
      if (cover_.kernels[id].id != id) defect = "stands at " + number(id);
      if (defect.empty()) continue;
      report(cover_.kernels[id], defect);
      sound = false;
    }
    return sound;
  }

  bool recomputes(const Kernel& kernel) const {
    return kernel.candidate && module_.rules.rules[module_.candidates[*kernel.candidate].rule].recompute;
  }

  /// Every live operator is in one kernel; in more only where all but one of them declare it recomputable.
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

  void verifyNumbers() {
    if (!reporter_.sound()) return;
    Grouping grouping;
    for (const Kernel& kernel : cover_.kernels) {
      grouping.groups.push_back(kernel.ops);
      grouping.candidate.push_back(kernel.candidate);
    }
    const auto numbered = numberKernels(module_, UseIndex(module_), grouping);
    if (!numbered) return report("its kernel graph is cyclic");
    for (const KernelId id : numbered->ids()) {
      if ((*numbered)[id].ops == cover_.kernels[id].ops) continue;
      return report(cover_.kernels[id], "its id is not its rank in Kahn's order");
    }
  }

  void verifyEvents() {
    const size_t count = timeline_ != nullptr ? timeline_->size() : 0;
    std::vector<bool> served(count, false);
    size_t servedCount = 0;
    const auto serve = [&](EventIndex event) {
      if (event >= count || !timeline_->isSelected(event))
        return report("event " + number(event) + " is no selected device event");
      if (served[event]) return report("event " + number(event) + " twice");
      served[event] = true;
      ++servedCount;
    };
    for (const Kernel& kernel : cover_.kernels) {
      EventIndex previous = kNoEvent;
      for (const BoundEvent& bound : kernel.events) {
        if (previous != kNoEvent && bound.event <= previous) report(kernel, "events not ascending");
        previous = bound.event;
        if (bound.confidencePermille > 1000) report(kernel, "confidence above 1000");
        serve(bound.event);
      }
      if (!kernel.events.empty() && kernel.state != KernelState::Bound)
        report(kernel, "events, but `" + std::string(name(kernel.state)) + "`");
      if (kernel.state != KernelState::Unbound && !kernel.missReason.empty())
        report(kernel, "a reason to be missed, but `" + std::string(name(kernel.state)) + "`");
      const bool control = !module_.ops[kernel.anchor()].regions.empty();
      if (kernel.state == KernelState::Bound && kernel.events.empty() && !control)
        report(kernel, "bound, but without events");
    }
    EventIndex previous = kNoEvent;
    for (const UnboundEvent& unbound : cover_.unbound) {
      if (previous != kNoEvent && unbound.event <= previous) report("unbound events not ascending");
      previous = unbound.event;
      serve(unbound.event);
    }
    if (timeline_ == nullptr) return;
    size_t selected = 0;
    for (EventIndex event = 0; event < count; ++event) selected += timeline_->isSelected(event) ? 1 : 0;
    if (servedCount != selected)
      report(number(servedCount) + " of " + number(selected) + " selected events are bound or listed as unbound");
  }

  void verifyTimes() {
    const size_t iterations = timeline_ != nullptr ? static_cast<size_t>(timeline_->selectedIterationCount()) : 0;
    if (cover_.times) {
      const RunTimes& times = *cover_.times;
      const bool window = !times.windowNs || times.windowNs->size() == iterations;
      if (timeline_ == nullptr || times.iterations != static_cast<int64_t>(iterations) ||
          times.busyNs.size() != iterations || times.wallNs.size() != iterations || !window) {
        report("times of other iterations than the " + number(iterations) + " selected ones");
      }
      int64_t sumNs = 0;
      if (__builtin_add_overflow(times.boundNs, times.unboundNs, &sumNs) || times.deviceNs != sumNs)
        report("device time is not bound plus unbound time");
    }
    for (const Kernel& kernel : cover_.kernels) {
      if (!kernel.time) continue;
      const auto& each = kernel.time->perIterationNs;
      if (each.size() != iterations)
        report(kernel, "times of " + number(each.size()) + " iterations, not of " + number(iterations));
      int64_t total = 0;
      bool overflow = false;
      for (const int64_t ns : each) overflow |= __builtin_add_overflow(total, ns, &total);
      if (overflow || total != kernel.time->totalNs) report(kernel, "total is not the sum over the iterations");
    }
  }

  void verifyPaths() {
    const auto isKernel = [&](KernelId kernel) { return cover_.kernels.contains(kernel); };
    const auto areKernels = [&](const std::vector<KernelId>& kernels) {
      return strictlyAscending(kernels) && std::all_of(kernels.begin(), kernels.end(), isKernel);
    };
    if (cover_.criticalPath) {
      const CriticalPath& path = *cover_.criticalPath;
      if (!areKernels(path.kernels)) report("kernels of the critical path not ascending, or unknown");
      std::vector<KernelId> marked;
      for (const Kernel& kernel : cover_.kernels) {
        if (kernel.path && kernel.path->critical) marked.push_back(kernel.id);
      }
      if (marked != path.kernels) report("kernels marked critical are not those of the path");
    }
    for (const Branch& branch : cover_.branches) {
      if (!isKernel(branch.join) || (branch.from && !isKernel(*branch.from)) ||
          (branch.via && !isKernel(*branch.via)) || !areKernels(branch.kernels)) {
        report("a branch with unknown kernels");
      }
      if (branch.from && !branch.fromInput.empty()) report("a branch from both a kernel and an input");
      if (branch.via.has_value() == !branch.viaInput.empty())
        report("a branch by both a kernel and an input, or by neither");
      if (branch.kernelCount.has_value() != branch.sumNs.has_value())
        report("a branch with one of the number of its kernels and their sum");
      if (branch.kernelCount && *branch.kernelCount < static_cast<int64_t>(branch.kernels.size()))
        report("a branch of " + std::to_string(*branch.kernelCount) + " kernels that lists " +
               number(branch.kernels.size()));
    }
  }

  const Module& module_;
  const Cover& cover_;
  const Timeline* timeline_;
  InvariantReporter& reporter_;
};

}  // namespace

void verifyCovers(const Module& module, InvariantReporter& reporter) {
  std::set<std::string_view> names;
  for (const Cover& cover : module.covers) {
    if (cover.name.empty() || !names.insert(cover.name).second)
      reporter.module("cover `" + cover.name + "`: without a name of its own");
    CoverVerifier(module, cover, reporter).run();
  }
}

namespace {

void verifyCoverFacets(const Module& module, const Cover& cover, InvariantReporter& reporter) {
  const auto require = [&](Facet facet, bool present, const char* what) {
    if (module.has(facet) == present) return;
    reporter.module("cover `" + cover.name + "`: " + what + (present ? " there, but `" : " missing, but `") +
                    std::string(name(facet)) + (present ? "` is not established" : "` is established"));
  };
  const auto count = [&](const auto& predicate) {
    return static_cast<size_t>(std::count_if(cover.kernels.begin(), cover.kernels.end(), predicate));
  };
  const size_t timed = count([](const Kernel& kernel) { return kernel.time.has_value(); });
  const size_t pathed = count([](const Kernel& kernel) { return kernel.path.has_value(); });
  if (cover.traceLabel.empty()) {
    if (cover.times || cover.criticalPath || timed != 0 || pathed != 0)
      reporter.module("cover `" + cover.name + "`: measured facts without a trace");
    return;
  }
  if (!module.has(Facet::Bound))
    reporter.module("cover `" + cover.name + "`: of a trace, but `bound` is not established");
  require(Facet::Timed, cover.times.has_value(), "times");
  require(Facet::Timed, timed == cover.kernels.size() && (timed != 0 || module.has(Facet::Timed)), "kernel times");
  require(Facet::CriticalPath, cover.criticalPath.has_value(), "critical path");
  require(Facet::CriticalPath, pathed == cover.kernels.size() && (pathed != 0 || module.has(Facet::CriticalPath)),
          "slack");
}

}  // namespace

void verifyFacets(const Module& module, InvariantReporter& reporter) {
  if (module.has(Facet::Fused)) {
    if (module.covers.empty() || module.covers.front().name != "default" || !module.covers.front().traceLabel.empty()) {
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
  for (const Cover& cover : module.covers) verifyCoverFacets(module, cover, reporter);
  if (module.has(Facet::Bound)) {
    for (const Timeline& timeline : module.timelines) {
      const bool covered = std::any_of(module.covers.begin(), module.covers.end(),
                                       [&](const Cover& cover) { return cover.traceLabel == timeline.label; });
      if (!covered) reporter.module("timeline `" + timeline.label + "`: `bound` is established, but no cover is of it");
    }
  }
  std::set<std::string_view> names;
  for (const Scenario& scenario : module.scenarios) {
    const std::string where = "scenario `" + scenario.name + "`: ";
    if (!names.insert(scenario.name).second) reporter.module(where + "not the only one of this name");
    for (const SpeedupRequest& request : scenario.requests) {
      if (request.factor.has_value() == request.fixedNs.has_value())
        reporter.module(where + "a request with both a factor and a time, or neither");
    }
    std::vector<std::string_view> expected, predicted;
    for (const Cover& cover : module.covers) {
      if (!cover.traceLabel.empty() && module.has(Facet::Scenarios)) expected.push_back(cover.name);
    }
    for (const Prediction& prediction : scenario.predictions) {
      predicted.push_back(prediction.cover);
      const Cover* cover = module.findCover(prediction.cover);
      const auto isKernel = [&](KernelId kernel) { return cover != nullptr && cover->kernels.contains(kernel); };
      bool known =
          strictlyAscending(prediction.path) && std::all_of(prediction.path.begin(), prediction.path.end(), isKernel);
      for (size_t i = 0; i < prediction.factors.size(); ++i) {
        known = known && isKernel(prediction.factors[i].first) &&
                (i == 0 || prediction.factors[i - 1].first < prediction.factors[i].first);
      }
      if (!known) reporter.module(where + "kernels unknown or not ascending");
    }
    if (!predicted.empty() && !module.has(Facet::Scenarios)) {
      reporter.module(where + "predictions, but `scenarios` is not established");
    } else if (predicted != expected) {
      reporter.module(where + number(predicted.size()) + " predictions, where " + number(expected.size()) +
                      " covers have a trace");
    }
  }
}

}  // namespace amdahlc::ir
