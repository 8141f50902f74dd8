#include "runtimes/device_calls.h"

#include <algorithm>
#include <iterator>

namespace amdahlc {
namespace {

struct CallRow {
  std::string_view name;
  DeviceCall meaning;
};
constexpr CallRow kCalls[] = {
    {"cudaDeviceSynchronize", DeviceCall::DeviceSync},
    {"cuCtxSynchronize", DeviceCall::DeviceSync},
    {"hipDeviceSynchronize", DeviceCall::DeviceSync},
    {"cudaStreamSynchronize", DeviceCall::StreamSync},
    {"cuStreamSynchronize", DeviceCall::StreamSync},
    {"hipStreamSynchronize", DeviceCall::StreamSync},
    {"cudaEventSynchronize", DeviceCall::EventSync},
    {"cuEventSynchronize", DeviceCall::EventSync},
    {"hipEventSynchronize", DeviceCall::EventSync},
    {"cudaEventQuery", DeviceCall::Query},
    {"cuEventQuery", DeviceCall::Query},
    {"hipEventQuery", DeviceCall::Query},
    {"cudaStreamQuery", DeviceCall::Query},
    {"cuStreamQuery", DeviceCall::Query},
    {"hipStreamQuery", DeviceCall::Query},
    {"cudaStreamWaitEvent", DeviceCall::StreamWait},
    {"cuStreamWaitEvent", DeviceCall::StreamWait},
    {"hipStreamWaitEvent", DeviceCall::StreamWait},
    {"cudaEventRecord", DeviceCall::EventRecord},
    {"cudaEventRecordWithFlags", DeviceCall::EventRecord},
    {"cuEventRecord", DeviceCall::EventRecord},
    {"cuEventRecordWithFlags", DeviceCall::EventRecord},
    {"hipEventRecord", DeviceCall::EventRecord},
    {"hipEventRecordWithFlags", DeviceCall::EventRecord},
};

/// The name without `_ptsz`, `_ptds`, `_v2`, `_v7000`.
std::string_view withoutVariant(std::string_view name) {
  while (true) {
    const size_t at = name.rfind('_');
    if (at == std::string_view::npos) return name;
    const std::string_view suffix = name.substr(at + 1);
    const bool isVersion =
        suffix.size() > 1 && suffix[0] == 'v' && suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!isVersion && suffix != "ptsz" && suffix != "ptds") return name;
    name = name.substr(0, at);
  }
}

}  // namespace

DeviceCall deviceCall(std::string_view name) {
  const std::string_view plain = withoutVariant(name);
  const auto row =
      std::find_if(std::begin(kCalls), std::end(kCalls), [&](const CallRow& known) { return known.name == plain; });
  if (row != std::end(kCalls)) return row->meaning;
  const bool isOfDevice = plain.starts_with("cu") || plain.starts_with("hip");
  if (isOfDevice && (plain.find("Alloc") != std::string_view::npos || plain.find("Free") != std::string_view::npos))
    return DeviceCall::Memory;
  return DeviceCall::Other;
}

bool isBlockingCopy(std::string_view name) { return withoutVariant(name) == "hipMemcpyWithStream"; }

bool isPageableCopy(std::string_view eventName) { return eventName.find("Pageable") != std::string_view::npos; }

bool isGraphLaunch(std::string_view name) {
  const std::string_view plain = withoutVariant(name);
  return plain == "cudaGraphLaunch" || plain == "cuGraphLaunch" || plain == "hipGraphLaunch";
}

CopyDirection copyDirection(std::string_view eventName) {
  const auto names = [&](std::string_view word) { return eventName.find(word) != std::string_view::npos; };
  if (names("HtoD") || names("HostToDevice")) return CopyDirection::ToDevice;
  if (names("DtoH") || names("DeviceToHost")) return CopyDirection::FromDevice;
  return CopyDirection::Other;
}

}  // namespace amdahlc
