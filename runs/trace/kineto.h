/// What Kineto writes of machines and kinds of events, for its reader and for the writer of its layout. Internal to the
/// readers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"
#include "runs/builder/excerpt.h"

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

/// What a written trace states of the run as a whole, because its events do not tell: the top-level key of it.
inline constexpr std::string_view kExcerptKey = "amdahlc";
/// Among the arguments of device work, and of an operator whose place in time does not tell it: a position in
/// `Excerpt::iterations`.
inline constexpr std::string_view kIterationArgument = "amdahlc iteration";
/// Among the arguments of an operator: `OperatorFacts::node`.
inline constexpr std::string_view kNodeArgument = "amdahlc node";
/// The category of events that are no events of the run. Readers leave them out.
inline constexpr std::string_view kAnnotationCategory = "amdahlc";

/// The value of `kExcerptKey`.
std::string writeStatement(const Excerpt& excerpt);

/// Reads it. Throws std::runtime_error, which says what is wrong with it.
Excerpt readExcerpt(std::string_view json);

}  // namespace amdahlc::trace
