#include "runs/program/program_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runs/execution_trace/data_edges.h"
#include "runs/execution_trace/link.h"

namespace amdahlc::program {

namespace {

/// By host event: the call of the execution trace; none if it is not linked.
std::optional<IdVector<HostEventId, execution_trace::NodeId>> linked(const Timeline& timeline,
                                                                     const execution_trace::ExecutionTrace& trace,
                                                                     DiagnosticEngine& diagnostics) {
  const HostFacts& host = *timeline.host;
  std::vector<HostEventId> events;
  std::vector<execution_trace::HostCall> calls;
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator && host.kind[event] != EventKind::Annotation) continue;
    events.push_back(event);
    calls.push_back({timeline.text(host.name[event]), host.recordFunction.empty() ? -1 : host.recordFunction[event],
                     host.track[event]});
  }
  const execution_trace::Links links = execution_trace::linkCalls(trace, calls);
  if (!links.belongTogether) {
    diagnostics.error(DiagId::TraceOfAnotherRun, FileLocation{trace.file},
                      fmt::format("this is not the execution trace of the run in `{}`: {}", timeline.file,
                                  execution_trace::describe(links)));
    return std::nullopt;
  }
  IdVector<HostEventId, execution_trace::NodeId> found(host.size());
  for (size_t call = 0; call < calls.size(); ++call) found[events[call]] = links.nodeOf[call];
  return found;
}

}  // namespace

std::optional<ProgramData> dataOf(const Timeline& timeline, const Program& program,
                                  execution_trace::ExecutionTrace trace, DiagnosticEngine& diagnostics) {
  const auto nodeOf = linked(timeline, trace, diagnostics);
  if (!nodeOf) return std::nullopt;
  ProgramData data;
  IdVector<HostEventId, NodeId> programNodeOf(timeline.host->size());
  for (const NodeId node : program.nodes.ids()) {
    // An execution trace is of the calls of the run, not of those of a capture.
    const HostEventId call = program.nodes[node].isCaptured ? HostEventId() : program.nodes[node].call;
    data.callOf.push_back(call.isNone() ? execution_trace::NodeId() : (*nodeOf)[call]);
    if (!call.isNone()) programNodeOf[call] = node;
  }
  // The calls of all iterations: an earlier one may have written what the representative one reads.
  const CallTree tree(timeline, *timeline.host);
  std::vector<execution_trace::NodeId> groups;
  std::vector<NodeId> nodeOfGroup;
  for (const HostEventId event : tree.nodeOf.ids()) {
    if (tree.nodeOf[event] != event || (*nodeOf)[event].isNone()) continue;
    groups.push_back((*nodeOf)[event]);
    nodeOfGroup.push_back(programNodeOf[event]);
  }
  const auto edges = execution_trace::findDataEdges(trace, groups, diagnostics);
  if (!edges) return std::nullopt;
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (const execution_trace::DataEdge& edge : edges->data) {
    const NodeId writer = nodeOfGroup[edge.from], reader = nodeOfGroup[edge.to];
    if (writer.isNone() || reader.isNone()) continue;
    data.edges.push_back({writer, reader, edge.tensor});
    pairs.emplace(writer, reader);
  }
  data.pairs = static_cast<int64_t>(pairs.size());
  data.orderedAfter.resize(program.nodes.size());
  for (const execution_trace::OrderEdge& edge : edges->order)
    if (!nodeOfGroup[edge.from].isNone() && !nodeOfGroup[edge.to].isNone())
      data.orderedAfter[nodeOfGroup[edge.to]].push_back(nodeOfGroup[edge.from]);
  data.trace = std::move(trace);
  return data;
}

}  // namespace amdahlc::program
