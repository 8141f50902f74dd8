#include "runs/program/call_tree.h"

#include <algorithm>
#include <unordered_map>

#include "replay/runtimes/runtime.h"

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

}  // namespace

CallScopes::CallScopes(const Timeline& timeline, const HostFacts& host) {
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  scopes.push_back({});
  scopeOf.assign(host.size(), kRootScope);
  std::unordered_map<uint64_t, ScopeId> children;  // looked up only
  const auto child = [&](ScopeId parent, Symbol name) {
    const auto [found, isNew] = children.try_emplace(uint64_t{parent.index()} << 32 | name.index, scopes.nextId());
    if (isNew) scopes.push_back({parent, name});
    return found->second;
  };
  std::vector<OpenScopes> threads(timeline.tracks.size());
  for (const HostEventId event : host.kind.ids()) {
    if (!isOnHost(host.kind[event])) continue;
    OpenScopes& thread = threads[host.track[event]];
    const ScopeId around = thread.at(host.startNs[event]);
    scopeOf[event] = around;
    const bool opensScope =
        host.kind[event] == EventKind::ModuleFrame ||
        (host.kind[event] == EventKind::Annotation && !runtime.isStep(timeline.text(host.name[event])) &&
         !isAroundIteration(timeline, host, event));
    if (opensScope) thread.open.push_back({host.endNs(event), child(around, host.name[event])});
  }
}

CallTree::CallTree(const Timeline& timeline, const HostFacts& host) {
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  struct Meaning {
    bool isTransparent, isGenerated;
  };
  SymbolMemo<Meaning> meanings(timeline.strings);
  const auto meaningOf = [&](HostEventId op) -> const Meaning& {
    return meanings.of(host.name[op], [&](std::string_view text) {
      return Meaning{runtime.role(text, true) == OperatorRole::Wrapper, runtime.isGeneratedCode(text)};
    });
  };
  const auto isOperator = [&](HostEventId event) { return host.kind[event] == EventKind::Operator; };

  nodeOf.resize(host.size());
  // Parents come before their children.
  for (const HostEventId event : host.kind.ids()) {
    const HostEventId parent = host.parent[event];
    if (!parent.isNone()) nodeOf[event] = nodeOf[parent];
    if (nodeOf[event].isNone() && isOperator(event) && !meaningOf(event).isTransparent) nodeOf[event] = event;
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
    if (isOperator(event) && nodeOf[event].isNone() && hasOwn[event] && meaningOf(event).isGenerated)
      markAbove(event, holdsGenerated);
  for (const HostEventId event : host.kind.ids()) {
    if (!nodeOf[event].isNone() || !isOperator(event) || !hasOwn[event]) continue;
    // On a device, each generated kernel has an event of its own, with a name that tells more than that of the region.
    const bool isNode =
        !meaningOf(event).isGenerated ? !hasBelow[event] : !timeline.hasDevice && !holdsGenerated[event];
    if (isNode) nodeOf[event] = event;
  }
  // What runs directly in such a node, like a launch, is part of it; operators below it are nodes of their own.
}

}  // namespace amdahlc::program
