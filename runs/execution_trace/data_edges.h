/// Which call reads what which other call wrote, by the memory that both use.
///
/// A *group* is a call with all calls inside of it, except those of other groups: it is what a node of a program is.
/// Groups are given in an order in which they may have run one after the other.
///
/// - A group reads what its outermost call takes. A call without a declaration may take more than it states; then the
///   calls directly inside of it count, too. What was born in the group is its own.
/// - It writes what these calls return in a storage in which they take nothing. Other results are views, or were
///   written in place. It also writes the results of any of its calls in storages that are born there: autograd keeps
///   some for the backward pass that the group does not return.
/// - Any call of a group writes in place: the arguments that its declaration marks, `Tensor(a!)`, `out=` among them; if
///   it marks none, and the name of the operator ends with `_`, the first argument with tensors.
/// - A data edge leads from the last writer of any byte that a group reads to the group. Bytes are those between the
///   first and the last element of a tensor (`Tensor::beginByte`).
/// - An order edge leads from the last writer of any byte that a group writes, and from those who have read it since,
///   to the group, where there is no data edge.
/// - A storage is *born* where a call returns a tensor in a storage in which it takes none, unless it was born inside
///   of the call. Nobody has written a storage that was just born: numbers of storages are used again. Memory that no
///   call returned, such as that of a number that is multiplied with a tensor, may have the number of a storage that
///   was born. It is another one, which nobody has written, where a call takes bytes behind all that calls have
///   returned of it.
/// - A storage *lives* until its number is that of other memory: it is born again, or a call takes bytes behind it.
///
/// A group has no edge to itself. Time is near linear in the tensors and edges: a storage is a map of intervals.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "runs/execution_trace/execution_trace.h"
#include "support/compressed_rows.h"
#include "support/diagnostic.h"

namespace amdahlc::execution_trace {

/// Between positions in the list of groups.
struct DataEdge {
  uint32_t from = 0, to = 0;
  /// What `to` reads: an index into `ExecutionTrace::tensors`.
  uint32_t tensor = 0;
  friend bool operator==(const DataEdge&, const DataEdge&) = default;
};
struct OrderEdge {
  uint32_t from = 0, to = 0;
  friend bool operator==(const OrderEdge&, const OrderEdge&) = default;
};

struct Birth {
  uint32_t group = 0;
  /// The call that returns the tensor: the innermost one.
  NodeId node;
  /// An index into `ExecutionTrace::tensors`: the first one in the storage.
  uint32_t tensor = 0;
};

/// Of a tensor without bytes, and of one that no group takes or returns.
inline constexpr uint32_t kNoLife = std::numeric_limits<uint32_t>::max();

/// The life of a storage, as far as the groups tell.
struct Life {
  /// Behind the last byte that any call uses. Where tensors have no strides, the bytes of the elements of the tensor
  /// that was born, else of the largest one.
  int64_t bytes = 0;
  /// Whether a group bore it. Otherwise it was there before the groups, or no call returned it.
  bool isBorn = false;
  /// Whether its number became that of another storage.
  bool isFollowed = false;
  /// In the memory of the host.
  bool onHost = false;
  /// The first and the last group with a call that takes or returns a tensor in it.
  uint32_t firstGroup = 0, lastGroup = 0;
};

struct DataEdges {
  /// By `to`; then in the order of tensors, then by `from`. Two groups have an edge for each tensor.
  std::vector<DataEdge> data;
  /// By `to`, then by `from`.
  std::vector<OrderEdge> order;
  /// By group, in the order in which the calls returned.
  std::vector<Birth> births;
  /// In the order of their beginnings.
  std::vector<Life> lives;
  /// By tensor of the trace: an index into `lives`, or `kNoLife`.
  std::vector<uint32_t> lifeOf;
  /// By group, ascending: the lives of the storages that it writes.
  CompressedRows<uint32_t, uint32_t> written;
};

/// Whether the call allocated the storage of the tensor that it returns, for who knows it from elsewhere, such as from
/// the records of an allocator; nullopt if it does not: then the rule above decides.
using AllocationOracle = std::function<std::optional<bool>(NodeId, const Tensor&)>;

/// `groups` are the outermost calls, each once. Reports `trace-invalid` beyond the limit of pieces, and returns
/// nullopt.
std::optional<DataEdges> findDataEdges(const ExecutionTrace& trace, std::span<const NodeId> groups,
                                       DiagnosticEngine& diagnostics, const AllocationOracle& allocates = {});

}  // namespace amdahlc::execution_trace
