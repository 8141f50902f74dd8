#include "passes/trace_bind/recorded_scopes.h"

#include <utility>
#include <vector>

#include "replay/runtimes/runtime.h"
#include "runs/program/call_tree.h"

namespace amdahlc::binding {

void addRecordedScopes(ir::Module& module, const Timeline& timeline, BoundRun& run) {
  const HostFacts& host = *timeline.host;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  const program::CallScopes calls(timeline, host);
  // Parents come before their children.
  IdVector<program::ScopeId, bool> isOfModel, isUsed(calls.scopes.size(), false);
  for (const program::Scope& scope : calls.scopes) {
    const bool isModule = !scope.parent.isNone() && runtime.isModuleCall(timeline.text(scope.name));
    isOfModel.push_back(isModule ? run.modulesOfModel.contains(scope.name.index)
                                 : !scope.parent.isNone() && isOfModel[scope.parent]);
  }
  std::vector<std::pair<ir::UnboundEvent*, program::ScopeId>> found;
  for (ir::UnboundEvent& unbound : run.cover->facets.get<ir::BoundFacet>()->unbound) {
    if (unbound.scope != ir::kRootScope || ir::info(unbound.reason.kind).state != ir::EventState::Foreign) continue;
    const HostEventId launch =
        host.launch[unbound.event].isNone() ? host.launchOp[unbound.event] : host.launch[unbound.event];
    if (launch.isNone() || isOfModel[calls.scopeOf[launch]]) continue;
    found.emplace_back(&unbound, calls.scopeOf[launch]);
    for (program::ScopeId at = found.back().second; !at.isNone() && !isUsed[at]; at = calls.scopes[at].parent)
      isUsed[at] = true;
  }
  IdVector<program::ScopeId, ir::ScopeId> scopes(calls.scopes.size(), ir::kRootScope);
  for (const program::ScopeId id : calls.scopes.ids()) {
    const program::Scope& scope = calls.scopes[id];
    if (!isUsed[id] || scope.parent.isNone()) continue;
    std::string path = module.scopePath(scopes[scope.parent]);
    if (!path.empty()) path += '.';
    scopes[id] = module.addScope(path.append(runtime.moduleInstance(timeline.text(scope.name))));
  }
  for (const auto& [unbound, scope] : found) unbound->scope = scopes[scope];
}

}  // namespace amdahlc::binding
