/// Names of events in reports of Nsight Systems. Internal to its reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc::trace {

/// `Memcpy HtoD (Pinned -> Device)`, from the numbers of `copyKind`, `srcKind` and `dstKind`. Kineto writes the same:
/// the names of copies agree between the profilers.
std::string nsysCopyName(std::optional<int64_t> kind, std::optional<int64_t> from, std::optional<int64_t> to);

/// `Memset (Device)`, from the number of `memKind`.
std::string nsysSetName(std::optional<int64_t> memory);

/// `Stream Sync`, from the number of `syncType`.
std::string_view nsysWaitName(std::optional<int64_t> kind);

/// `cudaLaunchKernel_v7000` is `cudaLaunchKernel` as of CUDA 7.0; `cuMemcpyHtoD_v2` is a name of its own.
std::string_view withoutCudaVersion(std::string_view call);

/// The runtime whose namespaces a kernel's name contains (`at::native::`); empty if it is of none.
std::string_view runtimeOfKernel(std::string_view name);

}  // namespace amdahlc::trace
