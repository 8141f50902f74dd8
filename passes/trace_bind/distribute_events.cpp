/// Where each event of a run goes: to a kernel, or to the reason why it belongs to none.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/kernel_graph.h"
#include "passes/trace_bind/bind_search.h"

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
    for (size_t i = 0; i < launches.iterations().size(); ++i)
      for (const Call& call : launches.calls(i))
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
RuleKernels kernelsOf(ir::RuleId rule, const Found& found, const ir::BoundFacet& facts) {
  RuleKernels kernels;
  for (const AlternativeId id : found.search.graph.ofRule(rule)) {
    if (!found.chosen.holds(id)) continue;
    ++kernels.count;
    kernels.allServed &= !facts.kernels[found.chosen.kernelOf[id]].events.empty();
  }
  return kernels;
}

/// Why the call has no binding. `kernelsOfRule` tells of a rule what `kernelsOf` does, when all events are bound.
template <typename KernelsOfRule>
ir::UnboundReason whyUnbound(const Segment& segment, uint32_t index, const Found& found,
                             const KernelsOfRule& kernelsOfRule) {
  using Kind = ir::UnboundReason::Kind;
  const auto& [search, chosen, instances, probabilities] = found;
  const Launches& launches = search.launches;
  const Timeline& timeline = launches.timeline();
  const Call& call = search.callAt(segment, index);
  ir::UnboundReason reason;
  if (call.spill) {
    reason.kind = Kind::SpillIn;
    return reason;
  }
  const auto instance = launches.instanceOf(call);
  if (segment.outside[index]) {
    reason.kind = Kind::OutsideModel;
    if (instance) reason.name = launches.runtime().moduleInstance(timeline.text(*instance));
    return reason;
  }
  if (instance && !instances.empty() && !instances.scopeOf(*instance)) {
    reason.kind = Kind::ModuleNotInGraph;
    reason.name = launches.runtime().moduleInstance(timeline.text(*instance));
    return reason;
  }
  const CallFeatures& features = search.features(segment, index);
  if (features.convertsLayout || search.scorer.kinds().isRemoved(features.node)) {
    reason.kind = features.convertsLayout ? Kind::Layout : Kind::Folded;
    reason.name = timeline.text(timeline.name[call.events.front()]);
    return reason;
  }
  const std::string_view name = timeline.text(timeline.name[call.events.front()]);
  if (search.options(segment, index).empty() && launches.runtime().isGeneratedCode(name)) {
    reason.kind = Kind::GeneratedCode;
    reason.name = name;
    return reason;
  }
  // A call that only moves data or creates what the export holds is a detail of the runtime; other work is the model's.
  const bool isDetail =
      features.movesData || features.readsScalar || features.createsConstant || features.isBesideModel;
  const Kind notInGraph = isDetail ? Kind::OperatorNotInGraph : Kind::WorkNotInGraph;
  if (const auto rule = features.bestRule) {
    if (search.options(segment, index).empty() && !call.op.isNone()) {
      reason.kind = notInGraph;
      reason.name = timeline.text(timeline.host->name[call.op]);
      return reason;
    }
    reason.rule = *rule;
    const RuleKernels& kernels = kernelsOfRule(*rule);
    reason.kind = kernels.allServed && kernels.count > 0 ? Kind::NoKernelLeft : Kind::NoKernelFits;
    if (reason.kind == Kind::NoKernelLeft) reason.kernels = kernels.count;
    return reason;
  }
  if (!call.op.isNone()) {
    reason.kind = notInGraph;
    reason.name = timeline.text(timeline.host->name[call.op]);
  } else {
    reason.kind = Kind::NoRule;
  }
  return reason;
}

}  // namespace

/// First the events of calls with a binding; the reasons of all others refer to what these leave.
void distribute(const Found& found, uint16_t thresholdPermille, ir::BoundFacet& facts) {
  const auto& [search, chosen, instances, probabilities] = found;
  const Launches& launches = search.launches;
  std::vector<std::pair<const Segment*, uint32_t>> left;
  const auto addUnbound = [&](const Call& call, const ir::UnboundReason& reason) {
    const auto scope = instances.scopeAround(launches, call.frame);
    for (const EventIndex event : call.events) facts.unbound.push_back({event, scope.value_or(ir::kRootScope), reason});
  };
  for (size_t s = 0; s < search.forwards.segments.size(); ++s) {
    const Segment& segment = search.forwards.segments[s];
    const uint32_t alignment = search.alignmentOf[s];
    for (uint32_t i = 0; i < segment.end - segment.begin; ++i) {
      const Call& call = search.callAt(segment, i);
      const CallBinding& binding = search.alignments[alignment].calls[i];
      if (!binding.option) {
        left.emplace_back(&segment, i);
        continue;
      }
      const ir::KernelId kernel = chosen.kernelOf[binding.option->alternative];
      const Posterior& posterior = probabilities[alignment][i];
      const uint16_t confidence = binding.leftover ? kLeftoverPermille : permille(posterior.chosen);
      if (confidence < thresholdPermille) {
        addUnbound(call, ambiguity(kernel, confidence, posterior, chosen));
        continue;
      }
      ir::EvidenceSet kinds = binding.option->kinds;
      if (!binding.leftover) kinds |= static_cast<ir::EvidenceSet>(ir::Evidence::Order);
      if (const auto instance = launches.instanceOf(call);
          instance && instances.scopeOf(*instance) == search.program.units()[binding.option->unit].scope)
        kinds |= static_cast<ir::EvidenceSet>(ir::Evidence::Module);
      for (const EventIndex event : call.events) facts.kernels[kernel].events.push_back({event, kinds, confidence});
    }
  }
  std::map<ir::RuleId, RuleKernels> known;
  const auto kernelsOfRule = [&](ir::RuleId rule) -> const RuleKernels& {
    const auto [entry, isNew] = known.try_emplace(rule);
    if (isNew) entry->second = kernelsOf(rule, found, facts);
    return entry->second;
  };
  for (const auto& [segment, i] : left)
    addUnbound(search.callAt(*segment, i), whyUnbound(*segment, i, found, kernelsOfRule));
}

void addOutside(const BindInput& input, const ir::Cover& cover, const Instances& instances, ir::BoundFacet& facts) {
  using Kind = ir::UnboundReason::Kind;
  const Launches& launches = input.run.launches;
  const Timeline& timeline = launches.timeline();
  const ForwardScopes forwardScopes(input.run.graph.module(), cover, facts, launches, instances);
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    for (const EventOutsideCalls& outside : launches.outside(i)) {
      ir::UnboundReason reason;
      std::optional<ir::ScopeId> scope;
      if (outside.phase.isNone()) {
        reason.name = timeline.text(timeline.name[outside.event]);
        // An operator with a body computes if it is called alone, and is around calls else.
        const bool around =
            outside.computes ||
            (!outside.op.isNone() &&
             launches.runtime().role(timeline.text(launches.host().name[outside.op]), false) == OperatorRole::Work);
        reason.kind = outside.generated ? Kind::GeneratedCode : around ? Kind::AroundCalls : Kind::NoWork;
        scope = instances.scopeAround(launches, outside.op);
      } else {
        // Steps may be nested, and a step that recomputes activations calls modules again.
        const HostFacts& host = launches.host();
        HostEventId step;
        for (HostEventId at = outside.op; !at.isNone() && step.isNone(); at = host.parent[at]) {
          if (host.kind[at] == EventKind::ModuleFrame && !scope) scope = instances.scopeAround(launches, at);
          if (at == outside.phase || launches.phases().phase(at) == TrainingPhase::Backward) step = at;
        }
        if (step.isNone()) step = outside.phase;
        reason.name = launches.runtime().phaseStep(timeline.text(host.name[step]));
        reason.kind =
            launches.phases().phase(outside.phase) == TrainingPhase::Backward ? Kind::Backward : Kind::Optimizer;
        if (reason.kind == Kind::Optimizer) scope.reset();
        if (!scope) scope = forwardScopes.of(launches.phases().forwardOf(step));
      }
      facts.unbound.push_back({outside.event, scope.value_or(ir::kRootScope), std::move(reason)});
    }
  }
}

}  // namespace amdahlc::binding
