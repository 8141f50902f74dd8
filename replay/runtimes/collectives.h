/// Operations between the processes of a run (ranks), by the names that communication libraries and frameworks give
/// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace amdahlc {

enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Barrier,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  /// A send, a receive, or several of them in one kernel.
  PointToPoint,
  Unknown,
};

/// `all-reduce`
std::string_view name(CollectiveKind kind);

/// Whether no rank can finish the operation before the last one has begun it, because each needs data, or a sign, of
/// all others.
bool isSynchronizing(CollectiveKind kind);

/// The name of a function without its return type, template arguments and parameters: `ns::reduce_kernel` of
/// `void ns::(anonymous namespace)::reduce_kernel<512>(float*)`.
std::string qualifiedName(std::string_view kernel);

/// Whether the only purpose of a kernel of this name is to move data between devices: those of NCCL and of RCCL, which
/// has its names, of MSCCL, NVSHMEM and oneCCL, and the all-reduces over shared memory of PyTorch and vLLM. A kernel
/// that also normalises what it gets counts as computation.
bool isCommunicationKernel(std::string_view kernel);

/// The kind of a kernel (`ncclDevKernel_AllReduce_Sum_f32_RING_LL`) or of what a framework calls the operation
/// (`_allgather_base`).
CollectiveKind collectiveKind(std::string_view name);

}  // namespace amdahlc
