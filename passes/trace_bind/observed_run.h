/// A run as the binders see it: its launches, the nodes that it states, and the rules that its launches fit.
#pragma once

#include <utility>

#include "ir/facets/bound.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/launches.h"
#include "passes/trace_bind/named_nodes.h"

namespace amdahlc::binding {

/// The launches of a run of the graph. With `namesOnly`, each is a call of its own, without operators and modules.
inline Launches observeLaunches(const AlternativeGraph& graph, const Timeline& timeline, bool namesOnly = false) {
  return Launches(timeline, knownOperators(graph, runtimeAdapter(timeline.target.runtime)), namesOnly);
}

/// Which kinds of evidence the selected iterations have.
ir::RecordedEvidence recordedEvidence(const Launches& launches);

struct ObservedRun {
  /// The graph and the timeline of the launches must outlive it.
  ObservedRun(const AlternativeGraph& graph, Launches observed)
      : graph(graph),
        launches(std::move(observed)),
        stated(graph.module(), launches.timeline()),
        rules(graph.module().rules, launches, graph.activeRules()) {}
  ObservedRun(const ObservedRun&) = delete;

  /// The order to expect first: that in which the trace states nodes, else the likely one of the graph.
  OrderKind likelyOrder() const { return stated.any() ? OrderKind::Trace : graph.orders().likely(); }
  /// Rank of each operator in an order of the graph or of the trace; not of `OrderKind::Calls`.
  IdVector<ir::OpId, uint32_t> rank(OrderKind order) const {
    return order == OrderKind::Trace ? stated.order(graph) : graph.orders().rank(order);
  }

  const AlternativeGraph& graph;
  const Launches launches;
  const StatedNodes stated;
  RuleLaunches rules;
};

}  // namespace amdahlc::binding
