// What the project finds in an execution trace, as JSON, for a check that computes it again.
//
//   amdahlc_execution_trace EXECUTION_TRACE [TRACE] < IDS
//
// IDS are the outermost calls of the groups, in order, as numbers between blanks. TRACE is the profiler's trace of the
// same run. Calls are numbered as in the file; tensors are pairs of tensor and storage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "runs/execution_trace/data_edges.h"
#include "runs/execution_trace/link.h"
#include "runs/execution_trace/reader.h"
#include "runs/trace/reader.h"
#include "support/json_text.h"

namespace amdahlc::execution_trace {
namespace {

void printLinks(const ExecutionTrace& trace, const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  std::vector<HostEventId> events;
  std::vector<HostCall> calls;
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator && host.kind[event] != EventKind::Annotation) continue;
    events.push_back(event);
    calls.push_back({timeline.text(host.name[event]), host.recordFunction.empty() ? -1 : host.recordFunction[event],
                     host.track[event]});
  }
  const Links links = linkCalls(trace, calls);
  fmt::print("\"by_ids\":{},\"linked\":{},\"ambiguous\":{},\"nodes\":{},\"belong\":{},\"described\":{},\"links\":[",
             links.byIds, links.linked, links.ambiguous, links.nodes, links.belongTogether, jsonText(describe(links)));
  for (size_t call = 0; call < calls.size(); ++call) {
    const HostEventId event = events[call];
    fmt::print("{}[{},{},{},{},{}]", call == 0 ? "" : ",", jsonText(timeline.tracks[host.track[event]].thread),
               host.startNs[event], host.durationNs[event], jsonText(calls[call].name),
               links.nodeOf[call].isNone() ? -1 : trace.id[links.nodeOf[call]]);
  }
  fmt::print("],");
}

void printEdges(const ExecutionTrace& trace, const std::vector<int64_t>& groups, const DataEdges& edges) {
  const auto tensor = [&](uint32_t index) {
    return fmt::format("[{},{}]", trace.tensors[index].id, trace.tensors[index].storage);
  };
  std::vector<std::string> data, order, births;
  for (const DataEdge& edge : edges.data)
    data.push_back(fmt::format("[{},{},{}]", groups[edge.from], groups[edge.to], tensor(edge.tensor)));
  for (const OrderEdge& edge : edges.order) order.push_back(fmt::format("[{},{}]", groups[edge.from], groups[edge.to]));
  for (const Birth& birth : edges.births)
    births.push_back(fmt::format("[{},{},{}]", groups[birth.group], trace.id[birth.node], tensor(birth.tensor)));
  fmt::print("\"data\":[{}],\"order\":[{}],\"births\":[{}]", fmt::join(data, ","), fmt::join(order, ","),
             fmt::join(births, ","));
}

int run(int argc, char** argv) {
  const SourceManager sources;
  DiagnosticEngine diagnostics([&](const Diagnostic& d) { std::fputs(render(d, sources, false).c_str(), stderr); });
  if (argc < 2 || argc > 3) return 2;
  const auto trace = readExecutionTrace(argv[1], diagnostics);
  if (!trace) return 1;
  std::vector<int64_t> ids;
  std::vector<NodeId> groups;
  for (int64_t id = 0; std::cin >> id;) {
    const auto found = std::ranges::lower_bound(trace->id, id);
    if (found == trace->id.end() || *found != id) return 2;
    ids.push_back(id);
    groups.emplace_back(found - trace->id.begin());
  }
  fmt::print("{{\"schema\":{},\"calls\":{},", jsonText(trace->schema), trace->size());
  if (argc == 3) {
    const auto timeline = trace::readTrace({argv[2]}, {}, diagnostics);
    if (!timeline) return 1;
    printLinks(*trace, *timeline);
  }
  const auto edges = findDataEdges(*trace, groups, diagnostics);
  if (!edges) return 1;
  std::vector<std::string> problems;
  for (const DataProblem& problem : trace->problems)
    problems.push_back(fmt::format("{}:{}", jsonText(problem.name), problem.count));
  fmt::print("\"problems\":{{{}}},", fmt::join(problems, ","));
  printEdges(*trace, ids, *edges);
  fmt::print("}}\n");
  return 0;
}

}  // namespace
}  // namespace amdahlc::execution_trace

int main(int argc, char** argv) { return amdahlc::execution_trace::run(argc, argv); }
