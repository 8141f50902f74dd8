/// Which call of an execution trace each call of a profiler's trace is, where both were recorded in one run.
///
/// With ids: a call and a node are the same if the id and the name are. Where several have both, as those that autograd
/// computes again, they are the same in their order, if there are as many of each; if not, none is linked.
///
/// Without ids, as in files before 2024: calls of a thread are aligned with those of the thread of the execution trace
/// that has most names in common with it, in order and by equal names, with the fewest differences. A call is not
/// linked where a gap beside it may as well be one call further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runs/execution_trace/execution_trace.h"

namespace amdahlc::execution_trace {

/// A call of an operator, or an annotation, on the host.
struct HostCall {
  std::string_view name;
  /// `Record function id`; -1 if the trace does not state it.
  int64_t recordFunction = -1;
  /// Any number of the thread.
  uint32_t thread = 0;
};

struct Links {
  /// By call; none for those that are not linked.
  std::vector<NodeId> nodeOf;
  /// By ids, or else by the order of names.
  bool byIds = false;
  size_t linked = 0;
  /// Calls that could be several nodes.
  size_t ambiguous = 0;
  /// Without the nodes of the process and its threads.
  size_t nodes = 0;
  /// Whether both are of one run: at least half of the calls or of the nodes, whatever are fewer, are linked by ids, or
  /// nine tenths by order. Names agree by chance more often than ids with names.
  bool belongTogether = false;
};

/// `calls` are in the order of their starts in each thread; calls that began before others enclose them.
Links linkCalls(const ExecutionTrace& trace, std::span<const HostCall> calls);

/// `4402 of 4402 calls are linked by ids to the 4402 of the execution trace`.
std::string describe(const Links& links);

}  // namespace amdahlc::execution_trace
