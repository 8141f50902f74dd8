/// An execution trace as data: the calls of a run, which call made which, and the values that each took and returned.
/// Independent of times: the profiler's trace of the same run has those.
///
/// Calls are in the order of their starts, which is the order of their ids, so that a call comes before all that it
/// makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/compressed_rows.h"
#include "support/data_problems.h"
#include "support/id.h"
#include "support/string_pool.h"

namespace amdahlc::execution_trace {

/// A call. The format calls it a node.
using NodeId = Id<struct NodeTag>;

/// Behind the last byte of a tensor whose part of its storage is not known: it may be any.
inline constexpr int64_t kWholeStorage = std::numeric_limits<int64_t>::max();
/// The sizes or strides of a tensor for which the file states none.
inline constexpr uint32_t kNoSizes = std::numeric_limits<uint32_t>::max();

struct Tensor {
  /// The number that stands for the address of the tensor object. It is used again when that address is.
  int64_t id = 0;
  /// The same of the memory that holds the elements; 0 for none.
  int64_t storage = 0;
  /// The bytes of the storage between the first element and the last, half-open. Empty without elements or storage;
  /// from 0 to `kWholeStorage` if they are unknown.
  int64_t beginByte = 0, endByte = 0;
  int64_t elements = 0;
  int64_t elementBytes = 0;
  /// Of an element, as the framework calls it: `float`, `long int`.
  Symbol type;
  /// `cpu`, `cuda:0`
  Symbol device;
  /// Rows of `ExecutionTrace::sizes`; the strides count elements.
  uint32_t sizes = kNoSizes, strides = kNoSizes;
};

enum class ValueKind : uint8_t {
  None,
  Integer,
  /// A floating-point number.
  Real,
  Boolean,
  /// A string, or the name of a device.
  Text,
  Tensor,
  /// A list or a tuple.
  List,
  /// Anything else, such as an object or a stream; its content is not in the file.
  Other,
};

struct Value {
  ValueKind kind = ValueKind::None;
  /// Of a text itself; of a real number what the file has, which PyTorch rounds to six digits behind the point, so that
  /// 1e-12 is `0.000000`, or `inf`, `nan`; of other values a word such as `<Object>`. Empty for the rest.
  Symbol text;
  /// Of an integer or a boolean itself; of a tensor an index into `ExecutionTrace::tensors`; of a list the number of
  /// values inside of it at all depths, which follow it.
  int64_t number = 0;
};

/// The index behind the value at `index`, with all that is inside of it.
constexpr size_t behind(std::span<const Value> values, size_t index) {
  return index + 1 + (values[index].kind == ValueKind::List ? static_cast<size_t>(values[index].number) : 0);
}

/// What a call states of an operation between ranks. Numbers are -1, and texts empty, if it does not.
struct Collective {
  Symbol operation;
  /// Of the group of ranks.
  Symbol group, groupDescription;
  /// Of an element.
  Symbol type;
  int64_t groupSize = -1;
  int64_t inElements = -1, outElements = -1;
  int64_t firstRank = -1, rankStride = -1;
  /// How many elements go to, and come from, each rank, as written: `[768,768]`.
  Symbol inSplit, outSplit;
};

struct ExecutionTrace {
  /// Without folders.
  std::string file;
  /// Of the file's bytes.
  std::string contentHash;
  /// `1.1.1-chakra.0.0.4`
  std::string schema;
  /// The id of the process; -1 if unknown.
  int64_t process = -1;
  StringPool strings;

  // One entry per call. Numbers are -1 if unknown.
  /// As in the file, ascending.
  IdVector<NodeId, int64_t> id;
  IdVector<NodeId, Symbol> name;
  /// The call that made it; none of a thread's first one.
  IdVector<NodeId, NodeId> parent;
  /// The number that the profiler's trace states as `Record function id`; 0 of the rows that stand for the process and
  /// its threads.
  IdVector<NodeId, int64_t> recordFunction;
  /// Of a call in the backward pass: what the thread of the forward pass was in when the call began.
  IdVector<NodeId, NodeId> forwardParent;
  /// Autograd's number, which a call of the forward pass and those that compute its gradient have in common.
  IdVector<NodeId, int64_t> sequenceNumber;
  /// PyTorch's kind of call: 0 a function, 1 one of the backward pass, 7 one that the user marked.
  IdVector<NodeId, int64_t> scope;
  /// Counted from 1 in the process; it is not the number of the thread in the profiler's trace.
  IdVector<NodeId, int64_t> thread, forwardThread;
  /// The declaration of an operator; empty for other calls.
  IdVector<NodeId, Symbol> opSchema;
  /// Who generated the kernel: `triton`; mostly empty.
  IdVector<NodeId, Symbol> kernelBackend;
  /// Of calls that state any.
  std::map<NodeId, Collective> collectives;

  std::vector<Tensor> tensors;
  /// The sizes and strides of tensors; equal ones share a row.
  CompressedRows<uint32_t, int64_t> sizes;

  DataProblems problems;

  size_t size() const { return id.size(); }
  std::string_view text(Symbol symbol) const { return strings.text(symbol); }
  /// What a call took and returned, in order: values, and behind each list those inside of it.
  std::span<const Value> inputs(NodeId node) const { return at(inputRange[node]); }
  std::span<const Value> outputs(NodeId node) const { return at(outputRange[node]); }

  /// A part of `values`.
  struct ValueRange {
    size_t first = 0;
    size_t count = 0;
  };
  std::vector<Value> values;
  IdVector<NodeId, ValueRange> inputRange, outputRange;

 private:
  std::span<const Value> at(ValueRange range) const { return {values.data() + range.first, range.count}; }
};

/// Whether the elements are in the memory of the host.
inline bool isOnHost(const ExecutionTrace& trace, const Tensor& tensor) { return trace.text(tensor.device) == "cpu"; }

/// The rank of the process in a run of several, as its records of collective operations state it; nullopt if none does,
/// or if they differ.
std::optional<int64_t> statedRank(const ExecutionTrace& trace);

}  // namespace amdahlc::execution_trace
