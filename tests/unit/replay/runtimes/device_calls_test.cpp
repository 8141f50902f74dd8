#include "replay/runtimes/device_calls.h"

#include <doctest/doctest.h>

using namespace amdahlc;  // NOLINT(google-build-using-namespace)

TEST_CASE("a function has one meaning in CUDA's runtime, in its driver and in HIP, in every version") {
  for (const char* name : {"cudaStreamSynchronize", "cuStreamSynchronize", "hipStreamSynchronize",
                           "cudaStreamSynchronize_ptsz", "cuStreamSynchronize_v2", "cudaStreamSynchronize_v3020_ptsz"})
    CHECK(deviceCall(name) == DeviceCall::StreamSync);
  CHECK(deviceCall("cuCtxSynchronize") == DeviceCall::DeviceSync);
  CHECK(deviceCall("hipEventRecordWithFlags") == DeviceCall::EventRecord);
  CHECK(deviceCall("cuMemAlloc_v2") == DeviceCall::Memory);
  CHECK(deviceCall("cudaMalloc") == DeviceCall::Memory);
  CHECK(deviceCall("hipFree") == DeviceCall::Memory);
  for (const char* name : {"cudaMallocAsync", "cudaFreeAsync_ptsz", "cuMemAllocFromPoolAsync", "hipMallocAsync"})
    CHECK(deviceCall(name) == DeviceCall::Other);
  for (const char* name : {"cudaLaunchKernel", "StreamSynchronize", "cudaStreamSynchronizeLater", "custreamSynchronize",
                           "cudnnStreamSynchronize", "cuda", "cu", ""})
    CHECK(deviceCall(name) == DeviceCall::Other);
}

TEST_CASE("launches of kernels, launches of graphs and copies that block are known by their functions") {
  for (const char* name : {"cudaGraphLaunch_v10000", "cuGraphLaunch", "hipGraphLaunch"}) CHECK(isGraphLaunch(name));
  CHECK_FALSE(isGraphLaunch("cudaLaunchKernel"));
  for (const char* name : {"cudaLaunchKernel_v7000", "cuLaunchKernelEx", "cudaGraphLaunch", "hipExtModuleLaunchKernel",
                           "hipLaunchKernel_spt", "hipDrvLaunchKernelEx", "urEnqueueKernelLaunch", "mtiaLaunchKernel"})
    CHECK(isKernelLaunch(name));
  for (const char* name : {"cudaMemcpyAsync", "cudaLaunchHostFunc", "cuLaunchHostFunc_ptsz"})
    CHECK_FALSE(isKernelLaunch(name));
  CHECK(isBlockingCopy("hipMemcpyWithStream"));
  CHECK_FALSE(isBlockingCopy("cudaMemcpyWithStream"));
  for (const char* name : {"cuModuleLoadDataEx", "cuLibraryLoadData", "hipModuleLoad"}) CHECK(loadsCode(name));
  CHECK_FALSE(loadsCode("cuModuleGetFunction"));
  CHECK(isOfHip("hipLaunchKernel"));
  CHECK(isOfCuda("cuLaunchKernel"));
  CHECK_FALSE(isOfCuda("hipLaunchKernel"));
}
