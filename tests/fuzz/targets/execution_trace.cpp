/// Execution traces: the calls of a run with their edges and their links to a trace of the same run, or an error.
#include <fmt/format.h>

#include "fuzz.h"
#include "runs/execution_trace/data_edges.h"
#include "runs/execution_trace/link.h"
#include "runs/execution_trace/reader.h"
#include "runs/files/trace_file.h"

namespace amdahlc::fuzz {
namespace {

using namespace execution_trace;

/// The outermost calls that take or return something.
std::vector<NodeId> outermostCalls(const ExecutionTrace& trace) {
  std::vector<NodeId> calls;
  IdVector<NodeId, bool> isInside(trace.size(), false);
  for (const NodeId node : trace.id.ids()) {
    const NodeId parent = trace.parent[node];
    isInside[node] = !parent.isNone() && isInside[parent];
    if (isInside[node] || (trace.inputs(node).empty() && trace.outputs(node).empty())) continue;
    isInside[node] = true;
    calls.push_back(node);
  }
  return calls;
}

void checkValues(const ExecutionTrace& trace, std::span<const Value> values) {
  for (size_t at = 0; at < values.size(); ++at) {
    require(behind(values, at) <= values.size(), "a list has more values than its call");
    if (values[at].kind != ValueKind::Tensor) continue;
    const Tensor& tensor = trace.tensors.at(static_cast<size_t>(values[at].number));
    require(0 <= tensor.beginByte && tensor.beginByte <= tensor.endByte, "a tensor ends before it begins");
  }
}

/// Links the calls of the trace itself, one of which is missing.
void checkLinks(const ExecutionTrace& trace, bool withIds, Run& run) {
  std::vector<HostCall> calls;
  for (const NodeId node : trace.id.ids())
    if (trace.recordFunction[node] > 0 && node.index() != trace.size() / 2)
      calls.push_back({trace.text(trace.name[node]), withIds ? trace.recordFunction[node] : -1,
                       static_cast<uint32_t>(trace.thread[node])});
  const Links links = linkCalls(trace, calls);
  for (size_t call = 0; call < calls.size(); ++call)
    require(links.nodeOf[call].isNone() || trace.text(trace.name[links.nodeOf[call]]) == calls[call].name,
            "a call is linked to one of another name");
  run.output("links", describe(links));
}

void fuzzExecutionTrace(std::string_view input, Run& run) {
  const auto file = trace::TraceFile::inMemory(input, "et.json", run.diagnostics);
  if (!file) return;
  looksLikeExecutionTrace(file->beginning());
  const auto trace = readExecutionTrace(*file, run.diagnostics);
  if (!trace) return;
  for (const NodeId node : trace->id.ids()) {
    checkValues(*trace, trace->inputs(node));
    checkValues(*trace, trace->outputs(node));
  }
  const std::vector<NodeId> groups = outermostCalls(*trace);
  if (const auto edges = findDataEdges(*trace, groups, run.diagnostics)) {
    for (const DataEdge& edge : edges->data) require(edge.from < edge.to, "a call reads what a later one writes");
    for (const OrderEdge& edge : edges->order) require(edge.from < edge.to, "an order leads back");
    run.output("edges", fmt::format("{} data, {} order, {} births of {} calls", edges->data.size(), edges->order.size(),
                                    edges->births.size(), groups.size()));
  }
  checkLinks(*trace, true, run);
  checkLinks(*trace, false, run);
}

const Registration kExecutionTrace(
    {.name = "execution_trace", .fuzzOne = fuzzExecutionTrace, .mutate = mutateJson, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
