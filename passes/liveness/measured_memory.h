/// What the framework's allocator recorded during an iteration, beside what liveness computes of it.
/// docs/passes/liveness.md defines both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/id.h"

namespace amdahlc {

struct Liveness;

/// A kernel's place in the schedule, from 0.
using SchedulePosition = uint32_t;
/// A tensor's number, in the order of first use.
using TensorId = Id<struct TensorTag>;

/// Why more was allocated at a time than is computed, or less.
enum class MemoryDifference : uint8_t {
  /// The allocator gave more than a tensor needs.
  Rounding,
  /// Tensors that no kernel uses any more, and that are not free.
  Held,
  /// Allocated by calls of the iteration, and no tensor: workspaces, and what nothing reads.
  NoTensor,
  /// Allocated before the iteration, beyond the tensors that the iteration uses; less than nothing where the allocator
  /// has not counted what was there before the recording.
  Before,
  /// Tensors of the last kernel that was called, which are allocated later in its call; never more than nothing.
  NotYet,
  /// Computed tensors for which no allocation was found; never more than nothing.
  NotFound,
  /// The computed peak is at another kernel; never more than nothing.
  Elsewhere,
};
inline constexpr size_t kMemoryDifferences = 7;

/// Memory from an allocation until it is free.
struct MeasuredLife {
  /// As recorded, and used again by later lives; -1 if it is unknown.
  int64_t address = -1;
  int64_t bytes = 0;
  int64_t fromNs = 0;
  /// nullopt if it is not free at the end of the recording.
  std::optional<int64_t> toNs;
  /// The innermost operator around the allocation; none if there is none.
  HostEventId call;
  /// The kernel whose call allocated it, and the tensor that it holds; none if that is not known.
  ir::KernelId kernel;
  TensorId tensor;
  friend bool operator==(const MeasuredLife&, const MeasuredLife&) = default;
};

struct MeasuredMemory {
  /// The most that was allocated at once, and the first time of it.
  int64_t peakBytes = 0, peakNs = 0;
  /// The innermost operator at that time; none if there is none.
  HostEventId peakCall;
  /// The last kernel that was called by then.
  SchedulePosition position = 0;
  /// By `MemoryDifference`; the sum is the difference of the measured peak and the computed one.
  std::array<int64_t, kMemoryDifferences> differences{};
  /// Those that overlap the iteration, in order of allocation.
  std::vector<MeasuredLife> lives;

  int64_t bytes(MemoryDifference why) const { return differences[static_cast<size_t>(why)]; }
  friend bool operator==(const MeasuredMemory&, const MeasuredMemory&) = default;
};

/// Of the representative iteration of the cover's run. It is not known where the run has no records of its allocator
/// with bytes in that iteration, or the liveness is not that of a run. Near linear in the host events and records.
Known<MeasuredMemory> measuredMemory(const ir::Module& module, const ir::Cover& cover, const Liveness& liveness);

}  // namespace amdahlc
