/// What Kineto writes of machines and kinds of events, for its reader and for the writer of its layout. Internal to the
/// readers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc::trace {

/// The facts in a file about the machine of the run.
struct KinetoMachine {
  struct Device {
    std::string id;
    std::string name;
    int64_t computeMajor = -1;
    int64_t computeMinor = -1;
  };
  std::vector<Device> devices;
  /// A top-level `cuda_runtime_version`, `cupti_version`, ...
  bool hasCudaVersion = false;
  /// A top-level `hip_runtime_version`, `roctracer_version`, ...
  bool hasHipVersion = false;
  /// By process, which is the device's id.
  std::map<std::string, int64_t> deviceEvents;
  int64_t cudaCalls = 0;
  int64_t hipCalls = 0;
};

/// Without device events the target is the CPU, even if the machine has devices.
Target targetOf(const KinetoMachine& machine);
/// Of a run on the device with this id.
Target targetOf(const KinetoMachine& machine, const std::string& device);

/// The meaning of an event's category; nullopt for an unknown category.
struct KinetoCategory {
  EventKind kind = EventKind::Other;
  /// Events to ignore: flows, spans of the profiler, counters.
  bool ignored = false;
};
std::optional<KinetoCategory> kinetoCategory(std::string_view category);
/// The category of events of this kind on a device of this vendor, as Kineto writes it today. There is none of `Other`.
std::string_view kinetoCategoryOf(EventKind kind, std::string_view vendor);

}  // namespace amdahlc::trace
