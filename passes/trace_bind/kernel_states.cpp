/// The state of each kernel in the run: bound, missed, without device work, or in a body that did not run.
#include <algorithm>

#include "ir/kernel_graph.h"
#include "passes/trace_bind/binder.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

namespace {

/// kNoRule for an operator without one.
ir::RuleId ruleOf(const ir::Module& module, const ir::Kernel& kernel) {
  return kernel.candidate ? module.candidates[*kernel.candidate].rule : kNoRule;
}

/// Whether the kernel should launch something.
bool expectsWork(const AlternativeGraph& graph, const ir::Kernel& kernel) {
  return !ir::hasNoDeviceWork(graph.module(), kernel) &&
         !std::ranges::all_of(kernel.ops, [&](OpId op) { return graph.isFree(op); });
}

/// Which bodies of control flow ran. A body with a bound launch ran. A body without one did not run if another branch
/// ran, or may have run without a launch, or if no launch of the trace fits any of its rules.
class BodyRuns {
 public:
  BodyRuns(const AlternativeGraph& graph, const ir::Cover& cover, const ir::BoundFacet& facts,
           const IdVector<ir::RuleId, bool>& startable)
      : module_(graph.module()), bodies_(module_.graphs.size()) {
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::RuleId rule = ruleOf(module_, kernel);
      const bool works = expectsWork(graph, kernel);
      for (ir::GraphId at = module_.ops[kernel.anchor()].graph; at != kNone; at = graphAround(at)) {
        bodies_[at].ran |= !facts.kernels[kernel.id].events.empty();
        bodies_[at].works |= works;
        bodies_[at].ruled |= works && rule != kNoRule;
        bodies_[at].fits |= works && rule != kNoRule && startable[rule];
      }
    }
    // A launch that no rule knows may belong to any body.
    for (const ir::UnboundEvent& event : facts.unbound)
      unknownLaunches_ |= event.reason.kind == ir::UnboundReason::Kind::NoRule;
  }

  /// Whether the operator is in a body that did not run.
  bool notExecuted(OpId op) const {
    for (ir::GraphId at = module_.ops[op].graph; at != kNone; at = graphAround(at))
      if (module_.graphs[at].parent != kNone && isSkipped(at)) return true;
    return false;
  }

 private:
  struct Body {
    bool ran = false;
    /// Some kernel of it expects device work.
    bool works = false;
    /// One of them has a rule.
    bool ruled = false;
    /// Some launch of the trace fits one of these rules.
    bool fits = false;
  };
  ir::GraphId graphAround(ir::GraphId graph) const {
    const OpId parent = module_.graphs[graph].parent;
    return parent == kNone ? ir::GraphId(kNone) : module_.ops[parent].graph;
  }
  bool isSkipped(ir::GraphId graph) const {
    const Body& body = bodies_[graph];
    if (body.ran) return false;
    const ir::Op& parent = module_.ops[module_.graphs[graph].parent];
    const bool ruledOut = body.ruled && !body.fits && !unknownLaunches_;
    if (module_.text(parent.type) != "If") return ruledOut;
    return std::ranges::any_of(parent.regions, [&](const ir::Region& region) {
      if (region.graph == graph) return false;
      const Body& other = bodies_[region.graph];
      // Even where no launch fits either of two branches, one of them ran.
      return other.ran || (body.works && (!other.works || (ruledOut && (!other.ruled || other.fits))));
    });
  }

  const ir::Module& module_;
  IdVector<ir::GraphId, Body> bodies_;
  bool unknownLaunches_ = false;
};

}  // namespace

void setStates(const ObservedRun& run, const ir::Cover& cover, ir::BoundFacet& facts) {
  for (ir::KernelBinding& kernel : facts.kernels) std::ranges::sort(kernel.events, {}, &ir::BoundEvent::event);
  std::ranges::sort(facts.unbound, {}, &ir::UnboundEvent::event);
  const ir::Module& module = run.graph.module();
  IdVector<ir::RuleId, bool> startable(module.rules.rules.size(), false);
  for (uint32_t signature = 0; signature < run.launches.signatures().size(); ++signature)
    for (const ir::RuleId rule : run.rules.startable(signature)) startable[rule] = true;
  IdVector<ir::KernelId, bool> ambiguous(cover.kernels.size(), false);
  for (const ir::UnboundEvent& event : facts.unbound)
    if (event.reason.kind == ir::UnboundReason::Kind::Ambiguous) ambiguous[event.reason.kernel] = true;
  const BodyRuns bodies(run.graph, cover, facts, startable);
  for (const ir::Kernel& kernel : cover.kernels) {
    ir::KernelBinding& binding = facts.kernels[kernel.id];
    if (!binding.events.empty()) {
      binding.state = ir::KernelState::Bound;
    } else if (ambiguous[kernel.id]) {
      binding.state = ir::KernelState::Ambiguous;
    } else if (bodies.notExecuted(kernel.anchor())) {
      binding.state = ir::KernelState::NotExecuted;
    } else if (!expectsWork(run.graph, kernel)) {
      binding.state = ir::KernelState::NoDeviceWork;
    } else {
      const ir::RuleId rule = ruleOf(module, kernel);
      binding.state = ir::KernelState::Unbound;
      if (!binding.missReason)
        binding.missReason = rule == kNoRule   ? ir::MissReason::NoRule
                             : startable[rule] ? ir::MissReason::LaunchesElsewhere
                                               : ir::MissReason::NoLaunchFits;
    }
    if (binding.state != ir::KernelState::Unbound) binding.missReason.reset();
  }
}

}  // namespace amdahlc::binding
