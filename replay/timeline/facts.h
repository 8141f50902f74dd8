/// What traces state of events, calls and ranks, besides when they happened.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/string_pool.h"

namespace amdahlc {

inline constexpr uint32_t kNoTrack = std::numeric_limits<uint32_t>::max();

/// Facts of a kernel launch; -1 if the trace lacks them.
struct LaunchFacts {
  int64_t grid[3] = {-1, -1, -1};
  int64_t block[3] = {-1, -1, -1};
  int64_t registers = -1;
  int64_t sharedMemoryBytes = -1;
  /// Of a copy or a set.
  int64_t bytes = -1;
  friend bool operator==(const LaunchFacts&, const LaunchFacts&) = default;
};

/// Facts of a framework operator call.
struct OperatorFacts {
  /// One per argument; empty for a scalar or a non-tensor.
  std::vector<std::vector<int64_t>> inputDims;
  /// As written: `float`, `Scalar`, ...
  std::vector<std::string> inputTypes;
  /// Parallel to the types, of arguments that are no tensors, as written: `[1, 1]`, `False`, `0.5`; empty for others.
  /// Empty if the trace has none.
  std::vector<std::string> values = {};
  /// Parallel to the dimensions, in elements; empty where the elements lie in the order of the axes, and as short as
  /// the last operand of another order. nullopt if the trace has none.
  std::optional<std::vector<std::vector<int64_t>>> strides = {};
  /// The node of the model that the call runs, as the runtime names it; empty if it does not. In a trace without a
  /// device the events of the call bear this name.
  std::string node = {};
};

/// What a trace states of an operation between the ranks of a run.
struct CollectiveFacts {
  /// As the framework calls it: `_allgather_base`.
  Symbol operation;
  /// The name of the group of ranks, the same in all of them, and its ranks as written: `[0, 1, 2, 3]`.
  Symbol group, groupRanks;
  /// -1 if it is unknown, as for the next.
  int64_t groupSize = -1;
  /// Its number among the operations of the group, the same in all ranks.
  int64_t sequence = -1;
};

/// What a trace states of a wait (`EventKind::Synchronization`): which stream waits, or is waited for, and for what.
struct WaitFacts {
  /// -1 if it is unknown, or is all of a device, as for the next.
  int64_t stream = -1;
  /// Of a wait for an event: the stream on which the event was recorded.
  int64_t sourceStream = -1;
  /// The correlation of the call that recorded it.
  int64_t recordCorrelation = -1;
  friend bool operator==(const WaitFacts&, const WaitFacts&) = default;
};

/// What an execution trace of the run added to its calls.
struct TracedCalls {
  /// Without folders.
  std::string file;
  /// Operators and annotations; those that the execution trace has, too; of these, operators whose operands, and whose
  /// numbers of autograd, only the execution trace tells.
  int64_t calls = 0, linked = 0, operands = 0, numbers = 0;
};

/// The tensors of layers, where the recorder states them.
struct StatedTensors {
  struct Tensor {
    std::string name;
    std::vector<int64_t> dims;
    /// Of an element, as ONNX names it; empty if it is not known.
    std::string elementType;
  };
  std::vector<Tensor> tensors;
  /// Of a layer, which has the name of its event: indices of what it reads and makes, in order.
  struct Layer {
    std::vector<uint32_t> reads, makes;
  };
  std::map<std::string, Layer, std::less<>> layers;
};

/// What the framework's allocator of a memory recorded when it gave or took some.
struct MemoryRecord {
  int64_t ns = 0;
  /// By all who use it, after that.
  int64_t allocatedBytes = 0;
  /// Taken from the device; -1 if it is unknown.
  int64_t reservedBytes = -1;
  /// How many it gave, or, negative, took back; 0 if that is unknown.
  int64_t bytes = 0;
  /// Where they are; addresses are used again. -1 if it is unknown.
  int64_t address = -1;
  /// The thread that asked; `kNoTrack` if the trace has no event of it.
  uint32_t track = kNoTrack;
};

/// Which rank of a run of several recorded the trace.
struct StatedRank {
  int64_t rank = 0;
  /// How many ranks there are; -1 if the trace does not say.
  int64_t worldSize = -1;
};

}  // namespace amdahlc
