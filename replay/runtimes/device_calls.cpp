#include "replay/runtimes/device_calls.h"

#include <algorithm>
#include <iterator>

#include "support/name_list.h"

namespace amdahlc {
namespace {

/// A function without the prefix of its library.
struct CallRow {
  std::string_view function;
  DeviceCall meaning;
};
constexpr CallRow kCalls[] = {
    {"CtxSynchronize", DeviceCall::DeviceSync},
    {"DeviceSynchronize", DeviceCall::DeviceSync},
    {"StreamSynchronize", DeviceCall::StreamSync},
    {"EventSynchronize", DeviceCall::EventSync},
    {"EventQuery", DeviceCall::Query},
    {"StreamQuery", DeviceCall::Query},
    {"StreamWaitEvent", DeviceCall::StreamWait},
    {"EventRecord", DeviceCall::EventRecord},
    {"EventRecordWithFlags", DeviceCall::EventRecord},
    {"StreamBeginCapture", DeviceCall::BeginCapture},
    {"StreamBeginCaptureToGraph", DeviceCall::BeginCapture},
    {"StreamEndCapture", DeviceCall::EndCapture},
};

/// The name without `_ptsz`, `_ptds`, `_spt`, `_v2`, `_v7000`.
std::string_view withoutVariant(std::string_view name) {
  while (true) {
    const size_t at = name.rfind('_');
    if (at == std::string_view::npos) return name;
    const std::string_view suffix = name.substr(at + 1);
    const bool isVersion = suffix.starts_with('v') && isDigits(suffix.substr(1));
    if (!isVersion && suffix != "ptsz" && suffix != "ptds" && suffix != "spt") return name;
    name = name.substr(0, at);
  }
}

/// The name without its variant and the prefix of its library; empty for a function of no such library.
std::string_view functionOf(std::string_view call) {
  call = withoutVariant(call);
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    const std::string_view function = call.starts_with(prefix) ? call.substr(prefix.size()) : std::string_view();
    if (!function.empty() && 'A' <= function[0] && function[0] <= 'Z') return function;
  }
  return {};
}

}  // namespace

DeviceCall deviceCall(std::string_view name) {
  const std::string_view function = functionOf(name);
  const auto row = std::ranges::find(kCalls, function, &CallRow::function);
  if (row != std::end(kCalls)) return row->meaning;
  const auto has = [&](std::string_view word) { return function.find(word) != std::string_view::npos; };
  const bool isMemory = has("Malloc") || has("Alloc") || has("Free");
  return isMemory && !has("Async") ? DeviceCall::Memory : DeviceCall::Other;
}

bool countsThreads(std::string_view call) { return call.starts_with("hipExt"); }

bool loadsCode(std::string_view name) {
  const std::string_view function = functionOf(name);
  return function.starts_with("ModuleLoad") || function.starts_with("LibraryLoad") || function == "LinkComplete";
}

bool isOfHip(std::string_view call) { return call.starts_with("hip"); }

bool isOfCuda(std::string_view call) { return call.starts_with("cu"); }

bool isBlockingCopy(std::string_view name) { return isOfHip(name) && functionOf(name) == "MemcpyWithStream"; }

bool isPageableCopy(std::string_view eventName) { return eventName.find("Pageable") != std::string_view::npos; }

bool isKernelLaunch(std::string_view name) {
  // Libraries of many vendors name theirs so. `cudaLaunchHostFunc` runs a function of the host.
  return name.find("Launch") != std::string_view::npos && functionOf(name) != "LaunchHostFunc";
}

bool isGraphLaunch(std::string_view name) { return functionOf(name) == "GraphLaunch"; }

CapturedWork capturedWork(std::string_view name) {
  if (isGraphLaunch(name)) return CapturedWork::None;
  if (isKernelLaunch(name)) return CapturedWork::Kernel;
  const std::string_view function = functionOf(name);
  if (function.starts_with("Memcpy")) return CapturedWork::Copy;
  return function.starts_with("Memset") ? CapturedWork::Set : CapturedWork::None;
}

std::span<const std::string_view> launchesOfMlPerfModel() {
  static constexpr std::string_view kLaunches[] = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize"};
  return kLaunches;
}

CopyDirection copyDirection(std::string_view eventName) {
  const auto names = [&](std::string_view word) { return eventName.find(word) != std::string_view::npos; };
  if (names("HtoD") || names("HostToDevice")) return CopyDirection::ToDevice;
  if (names("DtoH") || names("DeviceToHost")) return CopyDirection::FromDevice;
  return CopyDirection::Other;
}

}  // namespace amdahlc
