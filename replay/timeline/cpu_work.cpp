#include "replay/timeline/cpu_work.h"

#include <string_view>
#include <vector>

#include "replay/runtimes/runtime.h"

namespace amdahlc {
namespace {

/// The nesting of operators, and what runs inside each. A parent has a lower id than its children, so an ascending loop
/// visits parents first, a descending one children first.
struct OperatorTree {
  explicit OperatorTree(const Timeline& timeline);

  /// In order of start.
  std::vector<HostEventId> operators;
  // One entry per host event; meaningful for operators.
  /// The innermost operator around it; none for a top-level one.
  IdVector<HostEventId, HostEventId> outer;
  IdVector<HostEventId, OperatorRole> role;
  /// An operator of the role Work is inside.
  IdVector<HostEventId, bool> workInside;
  /// It moves bytes itself, or an operator inside does.
  IdVector<HostEventId, bool> writes;
  /// Whether its own code computes, if no operator inside is Work.
  bool computes(HostEventId op) const {
    return role[op] == OperatorRole::Work || (role[op] == OperatorRole::Detail && writes[op]);
  }
};

OperatorTree::OperatorTree(const Timeline& timeline) {
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  const HostFacts& host = *timeline.host;
  const size_t count = host.size();
  outer.resize(count);
  role.assign(count, OperatorRole::Wrapper);
  workInside.assign(count, false);
  writes.assign(count, false);
  IdVector<HostEventId, bool> hasChildren(count, false);
  for (const HostEventId event : host.kind.ids()) {
    if (const HostEventId parent = host.parent[event]; !parent.isNone())
      outer[event] = host.kind[parent] == EventKind::Operator ? parent : outer[parent];
    if (host.kind[event] != EventKind::Operator) continue;
    operators.push_back(event);
    if (!outer[event].isNone()) hasChildren[outer[event]] = true;
  }
  for (auto at = operators.rbegin(); at != operators.rend(); ++at) {
    const HostEventId event = *at;
    const std::string_view name = timeline.text(host.name[event]);
    role[event] = runtime.role(name, hasChildren[event]);
    if (runtime.writes(name)) writes[event] = true;
    if (outer[event].isNone()) continue;
    if (workInside[event] || role[event] == OperatorRole::Work) workInside[outer[event]] = true;
    if (writes[event]) writes[outer[event]] = true;
  }
}

IdVector<HostEventId, HostEventId> leavesOf(const HostFacts& host, const OperatorTree& tree) {
  IdVector<HostEventId, HostEventId> leafOf(host.size());
  // The operator is a leaf, is inside one, or has no work in it.
  IdVector<HostEventId, bool> settled(host.size(), false);
  for (const HostEventId event : host.kind.ids()) {
    if (const HostEventId parent = host.parent[event]; !parent.isNone()) {
      leafOf[event] = leafOf[parent];
      settled[event] = settled[parent];
    }
    if (settled[event] || tree.role[event] == OperatorRole::Wrapper || tree.workInside[event]) continue;
    settled[event] = true;
    if (tree.computes(event)) leafOf[event] = event;
  }
  return leafOf;
}

IdVector<HostEventId, bool> computingCalls(const HostFacts& host, const OperatorTree& tree) {
  // By host event: the outermost operator of the call that goes on inside it; none where an operator begins a call.
  IdVector<HostEventId, HostEventId> call(host.size());
  IdVector<HostEventId, bool> computes(host.size(), false);
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] == EventKind::ModuleFrame) continue;
    if (const HostEventId parent = host.parent[event]; !parent.isNone()) call[event] = call[parent];
    if (host.kind[event] != EventKind::Operator) continue;
    if (call[event].isNone() && tree.role[event] != OperatorRole::Wrapper) call[event] = event;
    if (!call[event].isNone())
      computes[event] = call[event] == event ? tree.workInside[event] || tree.computes(event) : computes[call[event]];
  }
  return computes;
}

}  // namespace

CpuWork::CpuWork(const Timeline& timeline) {
  const OperatorTree tree(timeline);
  leafOf = leavesOf(*timeline.host, tree);
  computes = computingCalls(*timeline.host, tree);
}

}  // namespace amdahlc
