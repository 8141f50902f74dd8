/// The functions of a device's runtime library, by their names in traces: CUDA's runtime and driver, and HIP's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace amdahlc {

/// What a call does to the order of work, besides launching it.
enum class DeviceCall : uint8_t {
  /// Waits until all work of the device is done.
  DeviceSync,
  /// Waits until the work of one stream is done.
  StreamSync,
  /// Waits until what was launched before the recording of an event is done.
  EventSync,
  /// Asks whether work is done, and does not wait.
  Query,
  /// Makes a stream wait for an event.
  StreamWait,
  EventRecord,
  /// Begins and ends the capture of a stream: what is launched between goes into a graph and does not run.
  BeginCapture,
  EndCapture,
  /// Allocates or frees memory at once: `cudaMalloc`. In the order of a stream (`cudaMallocAsync`) it is `Other`.
  Memory,
  Other,
};

/// Whether the call may wait for the device.
constexpr bool isSynchronization(DeviceCall call) {
  return call == DeviceCall::DeviceSync || call == DeviceCall::StreamSync || call == DeviceCall::EventSync;
}

/// Of a function with this name. A version or a variant may follow it: `cudaLaunchKernel_v7000`,
/// `cudaEventRecord_ptsz`.
DeviceCall deviceCall(std::string_view name);

/// Whether the call returns only after the copy that it launches, whatever the memory.
bool isBlockingCopy(std::string_view name);

/// Whether the name of a copy says that it is of memory that is not pinned. Such a copy goes through a buffer of the
/// driver, and its call returns after it.
bool isPageableCopy(std::string_view eventName);

/// Whether a call of this name launches kernels, one or a graph of them: `cudaLaunchKernel`, `cuLaunchKernelEx`,
/// `hipExtModuleLaunchKernel`, `cudaGraphLaunch`. Where a trace has device events, they tell (`HostFacts::launchCall`).
bool isKernelLaunch(std::string_view name);
/// Whether it launches a graph.
bool isGraphLaunch(std::string_view name);

/// Whether a call of this name loads code of the device: `cuModuleLoadData`, `cuLibraryLoadData`, `hipModuleLoad`.
bool loadsCode(std::string_view name);

/// What a call adds to a graph while a stream is captured.
enum class CapturedWork : uint8_t { None, Kernel, Copy, Set };
/// Of a function with this name. A graph that is launched into another one is none.
CapturedWork capturedWork(std::string_view name);

/// Whether a call of this name that launches a kernel counts its grid in threads, and not in blocks.
bool countsThreads(std::string_view call);

/// Whether the call is of HIP, or of CUDA's runtime or driver.
bool isOfHip(std::string_view call);
bool isOfCuda(std::string_view call);

/// The calls that ml_perf_model counts as launches.
std::span<const std::string_view> launchesOfMlPerfModel();

/// Between which memories a copy goes, as far as one end is the host.
enum class CopyDirection : uint8_t { ToDevice, FromDevice, Other };
/// By the name of a copy: `Memcpy HtoD (Pinned -> Device)`, `CopyHostToDevice`.
CopyDirection copyDirection(std::string_view eventName);

}  // namespace amdahlc
