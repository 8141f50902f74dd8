/// The state of each kernel in the run: bound, missed, without device work, or in a body that did not run.
#include <algorithm>

#include "passes/trace_bind/bind_timeline.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

namespace {

/// Which bodies of control flow ran. A body with a bound launch ran. A body without one did not run if another branch
/// ran, or may have run without a launch, or if no launch of the trace fits any of its rules.
class BodyRuns {
 public:
  BodyRuns(const ir::Module& module, const ir::Cover& cover, const ir::BoundFacet& facts, const AlternativeGraph& graph,
           const IdVector<ir::RuleId, bool>& startable)
      : module_(module), bodies_(module.graphs.size()) {
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::Rule* rule =
          kernel.candidate ? &module.rules.rules[module.candidates[*kernel.candidate].rule] : nullptr;
      const bool works = !(rule && rule->noDeviceWork) &&
                         !std::all_of(kernel.ops.begin(), kernel.ops.end(), [&](OpId op) { return graph.isFree(op); });
      const bool fits = works && rule && startable[module.candidates[*kernel.candidate].rule];
      for (ir::GraphId at = module.ops[kernel.anchor()].graph; at != kNone; at = graphAround(at)) {
        bodies_[at].ran |= !facts.kernels[kernel.id].events.empty();
        bodies_[at].works |= works;
        bodies_[at].ruled |= works && rule;
        bodies_[at].fits |= fits;
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
    return std::any_of(parent.regions.begin(), parent.regions.end(), [&](const ir::Region& region) {
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

void TimelineBinder::setStates(const ir::Cover& cover, ir::BoundFacet& facts, const std::map<OpId, int64_t>& trips,
                               RuleLaunches& rules, const Launches& launches) const {
  IdVector<ir::RuleId, bool> startable(module_.rules.rules.size(), false);
  for (uint32_t signature = 0; signature < launches.signatures().size(); ++signature)
    for (const ir::RuleId rule : rules.startable(signature)) startable[rule] = true;
  IdVector<ir::KernelId, bool> ambiguous(cover.kernels.size(), false);
  for (const ir::UnboundEvent& event : facts.unbound)
    if (event.reason.kind == ir::UnboundReason::Kind::Ambiguous) ambiguous[event.reason.kernel] = true;
  const BodyRuns bodies(module_, cover, facts, graph_, startable);
  for (const ir::Kernel& kernel : cover.kernels) {
    ir::KernelBinding& binding = facts.kernels[kernel.id];
    const ir::Rule* rule =
        kernel.candidate ? &module_.rules.rules[module_.candidates[*kernel.candidate].rule] : nullptr;
    if (const auto count = trips.find(kernel.anchor()); count != trips.end()) binding.tripCount = count->second;
    if (!binding.events.empty()) {
      binding.state = ir::KernelState::Bound;
    } else if (ambiguous[kernel.id]) {
      binding.state = ir::KernelState::Ambiguous;
    } else if (bodies.notExecuted(kernel.anchor())) {
      binding.state = ir::KernelState::NotExecuted;
    } else if ((rule && rule->noDeviceWork) ||
               std::all_of(kernel.ops.begin(), kernel.ops.end(), [&](OpId op) { return graph_.isFree(op); })) {
      binding.state = ir::KernelState::NoDeviceWork;
    } else {
      binding.state = ir::KernelState::Unbound;
      if (!rule)
        binding.missReason = ir::MissReason::NoRule;
      else if (startable[module_.candidates[*kernel.candidate].rule])
        binding.missReason = ir::MissReason::LaunchesElsewhere;
      else
        binding.missReason = ir::MissReason::NoLaunchFits;
    }
  }
}

}  // namespace amdahlc::binding
