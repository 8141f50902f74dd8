#include "passes/trace_bind/observed_run.h"

namespace amdahlc::binding {

Launches observeLaunches(const AlternativeGraph& graph, const Timeline& timeline, bool namesOnly) {
  return Launches(timeline, knownOperators(graph, runtimeAdapter(timeline.target.runtime)), namesOnly);
}

ObservedRun::ObservedRun(const AlternativeGraph& graph, Launches launches)
    : graph(graph),
      launches(std::move(launches)),
      stated(graph.module(), this->launches.timeline()),
      rules(graph.module().rules, this->launches, graph.activeRules()) {}

}  // namespace amdahlc::binding
