/// The program of a run, as its trace alone tells it: the calls of its representative iteration, and which device
/// events are the work of each, in all selected iterations.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"
#include "runs/program/call_tree.h"
#include "support/id.h"

namespace amdahlc::program {

using NodeId = Id<struct NodeTag>;

/// A call of an operator (`CallTree`), or a device event that none of them launched. A call of a capture whose launches
/// ran in a graph is one as well, once for each launch of the graph.
struct Node {
  /// The call; none for a device event.
  HostEventId call;
  /// The device event; of a call in a graph the first one; `kNoEvent` for other calls.
  EventIndex event = kNoEvent;
  /// Of the operator or of the device event.
  Symbol name;
  ScopeId scope;
  /// `call` is one of `Timeline::captured`, not of `Timeline::host`.
  bool isCaptured = false;
  /// The thread of the call, or of the launch of its graph; the stream of a device event.
  uint32_t track = 0;
  /// The nodes that are known to come before it, ascending: the last one on its track, and those whose events precede
  /// its own events on their streams. No trace tells more without the tensors that calls read.
  std::vector<NodeId> after;
};

/// What the timeline states of the operands of the node's call; null if it does not, and for device events.
const OperatorFacts* operatorFactsOf(const Timeline& timeline, const Node& node);

/// Why a device event belongs to no node.
enum class OutsideNodes : uint8_t {
  /// It does: `nodeOf` has its node. Or its iteration is not selected.
  No,
  /// It is the self time of a transparent event around nodes.
  AroundCalls,
  /// Its call has no partner in the representative iteration: the iteration takes another way, has other shapes, or a
  /// loop of it is longer.
  OtherIteration,
};

/// Iterations are compared by the sequences of calls on each of their threads, and of device events without a call on
/// each stream, by name, scope and shapes of operands. Calls of other iterations are those nodes to which a longest
/// common subsequence assigns them (`commonSubsequence`).
struct Program {
  /// Precondition: some iteration of the timeline is selected. Without host facts, each device event is a node. Linear
  /// in the events.
  explicit Program(const Timeline& timeline);

  /// The representative iteration.
  size_t iteration = 0;
  /// The first one is the root.
  IdVector<ScopeId, Scope> scopes;
  /// In order of start.
  IdVector<NodeId, Node> nodes;
  /// By device event; none where `outside` says why, and for events that are not selected.
  std::vector<NodeId> nodeOf;
  std::vector<OutsideNodes> outside;
  /// By call of the timeline's host, of the selected iterations and the one before them; none for calls that are no
  /// nodes. Empty without a host.
  IdVector<HostEventId, NodeId> nodeOfCall;
};

}  // namespace amdahlc::program
