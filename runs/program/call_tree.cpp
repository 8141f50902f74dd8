#include "runs/program/call_tree.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/forward_calls.h"
#include "replay/timeline/generated_code.h"
#include "replay/timeline/phases.h"

namespace amdahlc::program {

namespace {

bool isOnHost(EventKind kind) { return !info(kind).onDevice; }

/// The events of a thread that open scopes and have not ended, the innermost last.
struct OpenScopes {
  struct Open {
    int64_t endNs;
    ScopeId scope;
  };
  std::vector<Open> open;
  ScopeId at(int64_t ns) {
    while (!open.empty() && open.back().endNs <= ns) open.pop_back();
    return open.empty() ? kRootScope : open.back().scope;
  }
};

/// Whether an annotation is around a whole iteration that a mark delimits.
bool isAroundIteration(const Timeline& timeline, const HostFacts& host, HostEventId annotation) {
  // Iterations are in order of time, and do not overlap.
  const auto first = std::ranges::partition_point(timeline.iterations, [&](const Iteration& iteration) {
    return iteration.startNs.value_or(INT64_MIN) < host.startNs[annotation];
  });
  return first != timeline.iterations.end() && first->endNs && *first->endNs <= host.endNs(annotation);
}

/// Finds the scopes in order of time: a forward call comes before its steps of the backward pass.
class ScopeFinder {
 public:
  /// Phases are those of the timeline's own calls: captured ones have none.
  ScopeFinder(const Timeline& timeline, const HostFacts& host, CallScopes& found)
      : timeline_(timeline),
        host_(host),
        runtime_(runtimeAdapter(timeline.target.runtime)),
        found_(found),
        threads_(timeline.tracks.size()) {
    if (timeline.host && &host == &*timeline.host) {
      phases_.emplace(timeline);
      forwardCalls_.emplace(timeline, *phases_);
    }
    found_.scopes.push_back({});
    found_.scopeOf.assign(host_.size(), kRootScope);
    for (const HostEventId event : host_.kind.ids()) hasSteps_ |= !stepOf(event).isNone();
    for (const HostEventId event : host_.kind.ids())
      if (isOnHost(host_.kind[event])) enter(event);
  }

 private:
  void enter(HostEventId event) {
    OpenScopes& thread = threads_[host_.track[event]];
    const ScopeId around = thread.at(host_.startNs[event]);
    found_.scopeOf[event] = around;
    const auto open = [&](ScopeId scope) { thread.open.push_back({host_.endNs(event), scope}); };
    const HostEventId step = stepOf(event);
    if (step == event) {
      if (const HostEventId forward = forwardCalls_->of(event); !forward.isNone() && forward < event) {
        found_.scopeOf[event] = found_.scopeOf[forward];
        open(found_.scopeOf[forward]);
      }
    } else if (host_.kind[event] == EventKind::ModuleFrame) {
      open(scopeOfModule(host_.name[event], around, !step.isNone()));
    } else if (host_.kind[event] == EventKind::Annotation && !isMark(event)) {
      open(child(around, host_.name[event]));
    }
  }

  /// The step of the backward pass around an event; none outside.
  HostEventId stepOf(HostEventId event) const { return phases_ ? phases_->backwardStep(event) : HostEventId(); }

  /// Modules that a step calls again, to recompute activations, are in the scope in which the forward pass called them.
  ScopeId scopeOfModule(Symbol name, ScopeId around, bool isInStep) {
    if (isInStep)
      if (const auto known = scopeOfModule_.find(name.index); known != scopeOfModule_.end()) return known->second;
    const ScopeId scope = child(around, name);
    if (!isInStep) scopeOfModule_.insert_or_assign(name.index, scope);
    return scope;
  }

  /// Whether an annotation marks iterations, or a phase that is attributed to other scopes, or is one that the runtime
  /// itself writes: around the call of a whole model, or of a compiled graph in the region of a compiler.
  bool isMark(HostEventId annotation) const {
    const std::string_view text = timeline_.text(host_.name[annotation]);
    if (runtime_.isStep(text) || runtime_.phase(text) == Phase::Forward) return true;
    if (isGenerated(annotation) && isGenerated(host_.parent[annotation])) return true;
    if (isAroundIteration(timeline_, host_, annotation)) return true;
    const Phase phase = phaseStatedBy(text);
    return hasSteps_ && (phase == Phase::Forward || phase == Phase::Backward) && phases_->begun(annotation) == phase;
  }

  bool isGenerated(HostEventId event) const {
    return !event.isNone() && runtime_.isGeneratedCode(timeline_.text(host_.name[event]));
  }

  ScopeId child(ScopeId parent, Symbol name) {
    const auto [child, isNew] =
        children_.try_emplace(uint64_t{parent.index()} << 32 | name.index, found_.scopes.nextId());
    if (isNew) found_.scopes.push_back({parent, name});
    return child->second;
  }

  const Timeline& timeline_;
  const HostFacts& host_;
  const RuntimeAdapter& runtime_;
  CallScopes& found_;
  std::optional<Phases> phases_;
  std::optional<ForwardCalls> forwardCalls_;
  bool hasSteps_ = false;
  std::vector<OpenScopes> threads_;
  // Looked up only.
  std::unordered_map<uint64_t, ScopeId> children_;
  /// By the name of a module: where it was called last outside of steps of the backward pass.
  std::unordered_map<uint32_t, ScopeId> scopeOfModule_;
};

}  // namespace

CallScopes::CallScopes(const Timeline& timeline, const HostFacts& host) { ScopeFinder(timeline, host, *this); }

CallTree::CallTree(const Timeline& timeline, const HostFacts& host) {
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  const IdVector<HostEventId, bool> isGenerated = generatedCode(timeline, host);
  SymbolMemo<bool> meanings(timeline.strings);
  const auto isTransparent = [&](HostEventId op) {
    return meanings.of(host.name[op],
                       [&](std::string_view text) { return runtime.role(text, true) == OperatorRole::Wrapper; });
  };
  const auto isOperator = [&](HostEventId event) { return host.kind[event] == EventKind::Operator; };

  nodeOf.resize(host.size());
  // Parents come before their children.
  for (const HostEventId event : host.kind.ids()) {
    const HostEventId parent = host.parent[event];
    if (!parent.isNone()) nodeOf[event] = nodeOf[parent];
    if (nodeOf[event].isNone() && isOperator(event) && !isTransparent(event)) nodeOf[event] = event;
  }

  // Which transparent operators have work of their own, and which have some, or generated code, below.
  IdVector<HostEventId, bool> hasOwn(host.size(), false), hasBelow(host.size(), false),
      holdsGenerated(host.size(), false);
  const auto markAbove = [&](HostEventId event, IdVector<HostEventId, bool>& marks) {
    for (HostEventId at = host.parent[event]; !at.isNone() && !marks[at]; at = host.parent[at]) marks[at] = true;
  };
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const HostEventId op = host.launchOp[event];
    if (op.isNone()) continue;
    if (nodeOf[op].isNone() && !hasOwn[op]) {
      hasOwn[op] = true;
      markAbove(op, hasBelow);
    } else if (!nodeOf[op].isNone()) {
      markAbove(nodeOf[op], hasBelow);
    }
  }
  for (const HostEventId event : host.kind.ids())
    if (isOperator(event) && nodeOf[event].isNone() && hasOwn[event] && isGenerated[event])
      markAbove(event, holdsGenerated);
  for (const HostEventId event : host.kind.ids()) {
    if (!nodeOf[event].isNone() || !isOperator(event) || !hasOwn[event]) continue;
    // On a device, each generated kernel has an event of its own, with a name that tells more than that of the region.
    const bool isNode = !isGenerated[event] ? !hasBelow[event] : !timeline.hasDevice && !holdsGenerated[event];
    if (isNode) nodeOf[event] = event;
  }
  // What runs directly in such a node, like a launch, is part of it; operators below it are nodes of their own.
}

}  // namespace amdahlc::program
