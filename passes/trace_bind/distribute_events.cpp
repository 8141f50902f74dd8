/// Where each event of a run goes: to a kernel, or to the reason why it belongs to none.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "ir/kernel_graph.h"
#include "passes/trace_bind/aligned_run.h"
#include "passes/trace_bind/binder.h"
#include "passes/trace_bind/fit_text.h"
#include "replay/timeline/forward_calls.h"

namespace amdahlc::binding {

namespace {

/// The confidence of a pair that the order forbade: high evidence, of which no posterior is computed.
constexpr uint16_t kLeftoverPermille = 900;

/// The scopes of the operators of the forward pass.
class ForwardScopes {
 public:
  ForwardScopes(const ir::Module& module, const ir::Cover& cover, const ir::BoundFacet& facts, const Launches& launches,
                const Instances& instances)
      : module_(module), cover_(cover), launches_(launches), instances_(instances) {
    const std::vector<ir::KernelId> kernelOf = ir::eventOwners(launches.timeline(), facts);
    for (const Call& call : launches.calls())
      for (const EventIndex event : call.events)
        if (!call.op.isNone() && !kernelOf[event].isNone()) kernelOf_.try_emplace(call.op, kernelOf[event]);
  }
  /// Of the kernel that its call is bound to; else of the module around it, if known.
  std::optional<ir::ScopeId> of(HostEventId op) const {
    const HostFacts& host = launches_.host();
    for (HostEventId at = op; !at.isNone() && host.kind[at] != EventKind::ModuleFrame; at = host.parent[at])
      if (const auto kernel = kernelOf_.find(at); kernel != kernelOf_.end())
        return ir::kernelScope(module_, cover_.kernels[kernel->second]);
    return instances_.scopeAround(launches_, op);
  }

 private:
  const ir::Module& module_;
  const ir::Cover& cover_;
  const Launches& launches_;
  const Instances& instances_;
  /// By operator of a bound call; looked up only.
  std::unordered_map<HostEventId, ir::KernelId> kernelOf_;
};

ir::UnboundReason ambiguity(ir::KernelId kernel, uint16_t confidence, const Posterior& posterior,
                            const ChosenCover& chosen) {
  ir::UnboundReason reason;
  reason.kind = ir::UnboundReason::Kind::Ambiguous;
  reason.kernel = kernel;
  reason.permille = confidence;
  if (posterior.otherAlternative == kNoAlternative || posterior.other < std::min(posterior.chosen, posterior.unbound))
    return reason;
  const ir::KernelId rival = chosen.kernelOf[posterior.otherAlternative];
  if (rival == ir::kNone || rival == kernel) return reason;
  reason.rival = rival;
  reason.rivalPermille = permille(posterior.other);
  return reason;
}

/// The kernels of a rule in the cover, and whether each has an event.
struct RuleKernels {
  int64_t count = 0;
  bool allServed = true;
};
using KernelsByRule = IdVector<ir::RuleId, RuleKernels>;
KernelsByRule kernelsByRule(const AlignedRun& run, const ir::BoundFacet& facts) {
  KernelsByRule byRule(run.search.graph.module().rules.rules.size());
  for (AlternativeId id = 0; id < run.chosen.kernelOf.size(); ++id) {
    const ir::RuleId rule = run.search.graph.alternatives()[id].rule;
    if (rule == kNoRule || !run.chosen.holds(id)) continue;
    ++byRule[rule].count;
    byRule[rule].allServed &= !facts.kernels[run.chosen.kernelOf[id]].events.empty();
  }
  return byRule;
}

/// Whether a call that was bound to the alternative reads all its vectors: nothing else adds a bias.
bool readsVectors(const Alternative& alternative, const ir::KernelBinding& kernel, const HostFacts& host) {
  const HostEventId op = host.launchOp[kernel.events.front().event];
  const OperatorFacts* facts = op.isNone() ? nullptr : host.operatorFactsOf(op);
  return std::ranges::all_of(alternative.vectors, [&](const std::vector<int64_t>& vector) {
    return facts &&
           std::ranges::any_of(facts->inputDims, [&](const auto& dims) { return tellingDims(dims) == vector; });
  });
}

/// Whether generated code only copies what calls of the framework read or write: its name lists nothing but operators
/// that are left to a library, and each of their nodes has a call that does all of its work.
bool copiesForCalls(const Search::Place& at, const AlignedRun& run, const ir::BoundFacet& facts) {
  const auto anchors = run.search.scorer.copiedFor(run.search.kind(at));
  return !anchors.empty() && std::ranges::all_of(anchors, [&](ir::OpId op) {
    const ir::KernelId kernel = run.chosen.kernelWith(op);
    return !kernel.isNone() && !facts.kernels[kernel].events.empty() &&
           readsVectors(run.search.graph.alternatives()[run.chosen.alternativeWith[op]], facts.kernels[kernel],
                        run.search.launches.host());
  });
}

/// Why the call has no binding, when all events are bound.
ir::UnboundReason whyUnbound(const Search::Place& at, const AlignedRun& run, const KernelsByRule& kernelsByRule,
                             const ir::BoundFacet& facts) {
  using Kind = ir::UnboundReason::Kind;
  const Search& search = run.search;
  const RuntimeAdapter& runtime = search.launches.runtime();
  const Timeline& timeline = search.launches.timeline();
  const Call& call = search.call(at);
  const CallFeatures& features = search.features(at);
  const auto because = [](Kind kind, std::string_view what = {}) {
    ir::UnboundReason reason;
    reason.kind = kind;
    reason.name = what;
    return reason;
  };
  if (call.spill) return because(Kind::SpillIn);
  const auto instance = search.instance(at);
  const std::string_view module = instance ? runtime.moduleInstance(timeline.text(*instance)) : std::string_view();
  if (at.isOutside()) return because(Kind::OutsideModel, module);
  if (instance && !run.instances.empty() && !run.instances.scopeOf(*instance))
    return because(Kind::ModuleNotInGraph, module);
  const std::string_view name = timeline.text(timeline.name[call.events.front()]);
  if (features.convertsLayout) return because(Kind::Layout, name);
  if (search.scorer.kinds().isRemoved(features.node)) return because(Kind::Folded, name);
  const bool hasOptions = !search.options(at).empty();
  if (!hasOptions && runtime.isGeneratedCode(name))
    return because(copiesForCalls(at, run, facts) ? Kind::Layout : Kind::GeneratedCode, name);
  if (!call.op.isNone() && (!features.bestRule || !hasOptions)) {
    // A call that only moves data or creates what the export holds is a detail of the runtime; other work is the
    // model's.
    const bool isDetail =
        features.movesData || features.readsScalar || features.createsConstant || features.isBesideModel;
    return because(isDetail ? Kind::OperatorNotInGraph : Kind::WorkNotInGraph,
                   timeline.text(timeline.host->name[call.op]));
  }
  if (!features.bestRule) return because(Kind::NoRule);
  const RuleKernels& kernels = kernelsByRule[*features.bestRule];
  const bool isServed = kernels.allServed && kernels.count > 0;
  ir::UnboundReason reason = because(isServed ? Kind::NoKernelLeft : Kind::NoKernelFits);
  reason.rule = *features.bestRule;
  if (isServed) reason.kernels = kernels.count;
  return reason;
}

/// Binds a call that runs a part of nodes that the runtime moved, if they are of one kernel.
bool bindMovement(const Search::Place& at, const AlignedRun& run, uint16_t thresholdPermille, ir::BoundFacet& facts) {
  const std::vector<ir::OpId>& moved = run.search.features(at).moved;
  if (moved.empty() || kLeftoverPermille < thresholdPermille) return false;
  std::set<ir::KernelId> kernels;
  for (const ir::OpId op : moved) kernels.insert(run.chosen.kernelWith(op));
  if (kernels.size() > 1 || kernels.begin()->isNone()) return false;
  constexpr auto kKinds = static_cast<ir::EvidenceSet>(ir::Evidence::Operator);
  for (const EventIndex event : run.search.call(at).events)
    facts.kernels[*kernels.begin()].events.push_back({event, kKinds, kLeftoverPermille});
  return true;
}

}  // namespace

/// First the events of calls with a binding; the reasons of all others refer to what these leave.
void distribute(const AlignedRun& run, uint16_t thresholdPermille, ir::BoundFacet& facts) {
  std::vector<Search::Place> left;
  const auto addUnbound = [&](const Call& call, const ir::UnboundReason& reason) {
    const auto scope = run.instances.scopeAround(run.search.launches, call.frame);
    for (const EventIndex event : call.events) facts.unbound.push_back({event, scope.value_or(ir::kRootScope), reason});
  };
  run.search.eachCall([&](const Search::Place& at) {
    const Call& call = run.search.call(at);
    const CallBinding& binding = run.search.binding(at);
    if (!binding.option) {
      if (!bindMovement(at, run, thresholdPermille, facts)) left.push_back(at);
      return;
    }
    const ir::KernelId kernel = run.chosen.kernelOf[binding.option->alternative];
    const Posterior& posterior = run.probabilities[at.alignment][at.index];
    // All options of a call that states its node hold it: which of them ran changes only the other nodes of the kernel.
    const bool isStated = (binding.option->rows & evidence::bit(evidence::Row::SameNode)) != 0;
    const uint16_t confidence =
        binding.leftover ? kLeftoverPermille : permille(isStated ? 1 - posterior.unbound : posterior.chosen);
    if (confidence < thresholdPermille) return addUnbound(call, ambiguity(kernel, confidence, posterior, run.chosen));
    ir::EvidenceSet kinds = binding.option->kinds;
    if (!binding.leftover) kinds |= static_cast<ir::EvidenceSet>(ir::Evidence::Order);
    if (const auto instance = run.search.instance(at);
        instance && run.instances.scopeOf(*instance) == run.search.scope(*binding.option))
      kinds |= static_cast<ir::EvidenceSet>(ir::Evidence::Module);
    for (const EventIndex event : call.events) facts.kernels[kernel].events.push_back({event, kinds, confidence});
  });
  const KernelsByRule byRule = kernelsByRule(run, facts);
  for (const Search::Place& at : left) addUnbound(run.search.call(at), whyUnbound(at, run, byRule, facts));
}

void addOutside(const ObservedRun& run, const ir::Cover& cover, const Instances& instances, ir::BoundFacet& facts) {
  using Kind = ir::UnboundReason::Kind;
  const Launches& launches = run.launches;
  const Timeline& timeline = launches.timeline();
  const Phases& phases = launches.phases();
  const ForwardCalls forwardCalls(timeline, phases);
  const ForwardScopes forwardScopes(run.graph.module(), cover, facts, launches, instances);
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    for (const EventOutsideCalls& outside : launches.outside(i)) {
      ir::UnboundReason reason;
      std::optional<ir::ScopeId> scope;
      if (outside.trainingCall.isNone()) {
        reason.name = timeline.text(timeline.name[outside.event]);
        // An operator with a body computes if it is called alone, and is around calls else. So is a region of a
        // compiler.
        const std::string_view op =
            outside.op.isNone() ? std::string_view() : timeline.text(launches.host().name[outside.op]);
        const bool around =
            outside.computes || (!op.empty() && (launches.runtime().role(op, false) == OperatorRole::Work ||
                                                 launches.runtime().isGeneratedCode(op)));
        reason.kind = outside.generated ? Kind::GeneratedCode : around ? Kind::AroundCalls : Kind::NoWork;
        scope = instances.scopeAround(launches, outside.op);
      } else {
        const HostEventId call = launches.launchingCall(outside.event);
        const bool isOptimizer = phases.isIn(call, Phase::Optimizer);
        HostEventId step = isOptimizer ? HostEventId() : phases.backwardStep(call);
        if (step.isNone()) step = outside.trainingCall;
        reason.name = launches.runtime().phaseStep(timeline.text(launches.host().name[step]));
        reason.kind = isOptimizer ? Kind::Optimizer : Kind::Backward;
        // A step that recomputes activations calls modules again.
        for (HostEventId at = call; !isOptimizer && !at.isNone() && at != step && !scope;
             at = launches.host().parent[at])
          if (launches.host().kind[at] == EventKind::ModuleFrame) scope = instances.scopeAround(launches, at);
        if (!isOptimizer && !scope) scope = forwardScopes.of(forwardCalls.of(call));
      }
      facts.unbound.push_back({outside.event, scope.value_or(ir::kRootScope), std::move(reason)});
    }
  }
}

}  // namespace amdahlc::binding
