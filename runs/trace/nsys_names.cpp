#include "runs/trace/nsys_names.h"

#include <fmt/format.h>

#include "replay/runtimes/runtime.h"
#include "support/name_list.h"

namespace amdahlc::trace {
namespace {

// By number, from the tables ENUM_CUDA_MEMCPY_OPER, ENUM_CUDA_MEM_KIND and ENUM_CUPTI_SYNC_TYPE of newer exports.
constexpr std::string_view kCopyKinds[] = {"",     "HtoD",         "DtoH",         "HtoA",        "AtoH",
                                           "AtoA", "AtoD",         "DtoA",         "DtoD",        "HtoH",
                                           "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};
constexpr std::string_view kMemoryKinds[] = {"Pageable", "Pinned",        "Device",        "Array",
                                             "Managed",  "Device Static", "Managed Static"};
constexpr std::string_view kWaits[] = {"", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};

template <size_t N>
std::string_view nameIn(const std::string_view (&names)[N], std::optional<int64_t> index) {
  const bool known = index && *index >= 0 && *index < static_cast<int64_t>(N) && !names[*index].empty();
  return known ? names[static_cast<size_t>(*index)] : "Unknown";
}

}  // namespace

std::string nsysCopyName(std::optional<int64_t> kind, std::optional<int64_t> from, std::optional<int64_t> to) {
  return fmt::format("Memcpy {} ({} -> {})", nameIn(kCopyKinds, kind), nameIn(kMemoryKinds, from),
                     nameIn(kMemoryKinds, to));
}

std::string nsysSetName(std::optional<int64_t> memory) {
  return fmt::format("Memset ({})", nameIn(kMemoryKinds, memory));
}

std::string_view nsysWaitName(std::optional<int64_t> kind) { return nameIn(kWaits, kind); }

std::string_view withoutCudaVersion(std::string_view call) {
  const size_t at = call.rfind("_v");
  if (at == std::string_view::npos) return call;
  const std::string_view version = call.substr(at + 2);
  return version.size() >= 4 && isDigits(version) ? call.substr(0, at) : call;
}

std::string_view runtimeOfKernel(std::string_view name) {
  for (const std::string& runtime : knownRuntimes())
    for (const std::string_view space : runtimeAdapter(runtime).kernelNamespaces())
      if (name.find(space) != std::string_view::npos) return runtime;
  return {};
}

}  // namespace amdahlc::trace
