#include "runs/execution_trace/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "runs/execution_trace/sequence_alignment.h"
#include "support/limits.h"
#include "support/name_table.h"

namespace amdahlc::execution_trace {
namespace {

/// Nodes that stand for the process and its threads are no calls.
bool isCall(const ExecutionTrace& trace, NodeId node) { return trace.recordFunction[node] > 0; }

/// Those of equal id and name, in order.
struct Namesakes {
  std::vector<NodeId> nodes;
  std::vector<size_t> calls;
};

void linkByIds(const ExecutionTrace& trace, std::span<const HostCall> calls, Links& links) {
  std::map<std::pair<int64_t, uint32_t>, Namesakes> namesakes;
  for (const NodeId node : trace.id.ids())
    if (isCall(trace, node)) namesakes[{trace.recordFunction[node], trace.name[node].index}].nodes.push_back(node);
  for (size_t call = 0; call < calls.size(); ++call) {
    const auto name = trace.strings.lookUp(calls[call].name);
    if (!name) continue;
    const auto found = namesakes.find({calls[call].recordFunction, name->index});
    if (found != namesakes.end()) found->second.calls.push_back(call);
  }
  for (const auto& [key, same] : namesakes) {
    if (same.nodes.size() != same.calls.size()) {
      links.ambiguous += same.calls.size();
      continue;
    }
    for (size_t i = 0; i < same.calls.size(); ++i) links.nodeOf[same.calls[i]] = same.nodes[i];
  }
}

/// The calls of a thread.
struct Thread {
  /// Of nodes or of host calls.
  std::vector<uint32_t> positions;
  /// Numbers of the names, in the same order.
  std::vector<uint32_t> names;
  std::vector<uint32_t> sortedNames;
};

/// Those with most calls, at most as many as are compared with each other.
std::vector<Thread> largest(std::map<int64_t, Thread>& byNumber) {
  std::vector<Thread> threads;
  for (auto& [number, thread] : byNumber) {
    thread.sortedNames = thread.names;
    std::ranges::sort(thread.sortedNames);
    threads.push_back(std::move(thread));
  }
  std::ranges::stable_sort(threads, std::greater(), [](const Thread& thread) { return thread.names.size(); });
  threads.resize(std::min(threads.size(), static_cast<size_t>(limits::kLinkedThreads)));
  return threads;
}

size_t namesInCommon(const Thread& a, const Thread& b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.sortedNames.size() && j < b.sortedNames.size();) {
    const uint32_t left = a.sortedNames[i], right = b.sortedNames[j];
    common += left == right;
    i += left <= right;
    j += right <= left;
  }
  return common;
}

void linkByOrder(const ExecutionTrace& trace, std::span<const HostCall> calls, Links& links) {
  NameTable names;
  std::map<int64_t, Thread> nodesOf, callsOf;
  const auto add = [&](Thread& thread, size_t position, std::string_view name) {
    thread.positions.push_back(static_cast<uint32_t>(position));
    thread.names.push_back(names.add(name).first);
  };
  for (const NodeId node : trace.id.ids())
    if (isCall(trace, node)) add(nodesOf[trace.thread[node]], node.index(), trace.text(trace.name[node]));
  for (size_t call = 0; call < calls.size(); ++call) add(callsOf[calls[call].thread], call, calls[call].name);
  const std::vector<Thread> left = largest(nodesOf), right = largest(callsOf);

  // The threads with most in common first.
  std::vector<std::tuple<size_t, size_t, size_t>> likeness;
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = 0; j < right.size(); ++j) likeness.emplace_back(namesInCommon(left[i], right[j]), i, j);
  std::ranges::stable_sort(likeness, std::greater(), [](const auto& entry) { return std::get<0>(entry); });
  std::vector<bool> hasLeft(left.size(), false), hasRight(right.size(), false);
  for (const auto& [common, i, j] : likeness) {
    if (common == 0 || hasLeft[i] || hasRight[j]) continue;
    hasLeft[i] = hasRight[j] = true;
    const auto alignment = align(left[i].names, right[j].names, static_cast<size_t>(limits::kDifferences));
    if (!alignment) continue;
    links.ambiguous += alignment->ambiguous;
    for (const auto& [node, call] : alignment->pairs)
      links.nodeOf[right[j].positions[call]] = NodeId(left[i].positions[node]);
  }
}

}  // namespace

Links linkCalls(const ExecutionTrace& trace, std::span<const HostCall> calls) {
  Links links;
  links.nodeOf.resize(calls.size());
  for (const NodeId node : trace.id.ids()) links.nodes += isCall(trace, node);
  links.byIds = std::ranges::any_of(calls, [](const HostCall& call) { return call.recordFunction > 0; });
  if (links.byIds)
    linkByIds(trace, calls, links);
  else
    linkByOrder(trace, calls, links);
  links.linked = calls.size() - static_cast<size_t>(std::ranges::count(links.nodeOf, NodeId()));
  const size_t fewer = std::min(calls.size(), links.nodes);
  links.belongTogether = fewer > 0 && (links.byIds ? 2 * links.linked >= fewer : 10 * links.linked >= 9 * fewer);
  return links;
}

std::string describe(const Links& links) {
  return fmt::format("{} of {} calls are linked {} to the {} of the execution trace", links.linked, links.nodeOf.size(),
                     links.byIds ? "by ids" : "by the order of their names", links.nodes);
}

}  // namespace amdahlc::execution_trace
