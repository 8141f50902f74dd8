#include "runs/program/program_data.h"

#include <algorithm>
#include <set>

#include "runs/program/traced_calls.h"

namespace amdahlc::program {

namespace {

/// Storages, and what they are to the groups that are nodes.
void keepLives(const execution_trace::DataEdges& edges, const std::vector<NodeId>& nodeOfGroup, size_t nodes,
               ProgramData& data) {
  data.written.resize(nodes);
  uint32_t first = static_cast<uint32_t>(nodeOfGroup.size()), last = 0;
  for (uint32_t group = 0; group < nodeOfGroup.size(); ++group) {
    if (nodeOfGroup[group].isNone()) continue;
    first = std::min(first, group);
    last = group;
    const auto written = edges.written[group];
    data.written[nodeOfGroup[group]].assign(written.begin(), written.end());
  }
  for (const execution_trace::Life& life : edges.lives) {
    const bool isBefore = !life.isBorn || life.firstGroup < first;
    data.lives.push_back({life.bytes, isBefore, life.lastGroup > last || (isBefore && !life.isFollowed), life.onHost});
  }
  data.lifeOf = edges.lifeOf;
}

using LinkedCalls = IdVector<HostEventId, execution_trace::NodeId>;

/// The iteration of which the execution trace tells most calls; the representative one if it tells any of that. A
/// recorder of tensors slows each call down, so that some record one step with it, which is not representative.
int32_t linkedIteration(const Timeline& timeline, const Program& program, const LinkedCalls& nodeOf) {
  std::vector<size_t> linked(timeline.iterations.size());
  for (const HostEventId call : program.nodeOfCall.ids())
    if (const int32_t iteration = timeline.host->iteration[call];
        iteration != kNoIteration && !program.nodeOfCall[call].isNone() && !nodeOf[call].isNone())
      ++linked[static_cast<size_t>(iteration)];
  if (linked.empty() || linked[program.iteration] > 0) return static_cast<int32_t>(program.iteration);
  return static_cast<int32_t>(std::ranges::max_element(linked) - linked.begin());
}

}  // namespace

std::optional<ProgramData> dataOf(const Timeline& timeline, const Program& program,
                                  execution_trace::ExecutionTrace trace, DiagnosticEngine& diagnostics) {
  const auto nodeOf = linkedCalls(timeline, trace, diagnostics);
  if (!nodeOf) return std::nullopt;
  ProgramData data;
  // An execution trace is of the calls of the run, not of those of a capture.
  data.callOf.resize(program.nodes.size());
  IdVector<HostEventId, NodeId> programNodeOf(timeline.host->size());
  const int32_t iteration = linkedIteration(timeline, program, *nodeOf);
  const auto take = [&](HostEventId call, NodeId node) {
    data.callOf[node] = (*nodeOf)[call];
    programNodeOf[call] = node;
  };
  if (iteration == static_cast<int32_t>(program.iteration)) {
    for (const NodeId node : program.nodes.ids())
      if (const Node& one = program.nodes[node]; !one.isCaptured && !one.call.isNone()) take(one.call, node);
  } else {
    for (const HostEventId call : program.nodeOfCall.ids())
      if (const NodeId node = program.nodeOfCall[call]; !node.isNone() && timeline.host->iteration[call] == iteration)
        take(call, node);
  }
  // The calls of all iterations: an earlier one may have written what this one reads.
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
  keepLives(*edges, nodeOfGroup, program.nodes.size(), data);
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
