/// The lanes of a page: a track of a run has one for each kind of its events.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// A lane has the events of a track that are of one kind. In the order of the page.
enum class LaneKind : uint8_t {
  Annotations,
  DeviceAnnotations,
  Modules,
  Frames,
  Calls,
  Waits,
  Kernels,
  Copies,
  Collectives
};
struct LaneKindInfo {
  std::string_view section, name;
  bool onDevice;
};
inline constexpr LaneKindInfo kLaneKinds[] = {
    {"process", "annotations", false}, {"process", "annotations", true}, {"process", "modules", false},
    {"process", "frames", false},      {"control", "calls", false},      {"control", "waits", true},
    {"execution", "kernels", true},    {"transfer", "copies", true},     {"transfer", "collectives", true},
};

inline LaneKind laneKindOf(EventKind kind) {
  switch (kind) {
    case EventKind::Annotation:
      return LaneKind::Annotations;
    case EventKind::DeviceAnnotation:
      return LaneKind::DeviceAnnotations;
    case EventKind::ModuleFrame:
      return LaneKind::Modules;
    case EventKind::Frame:
      return LaneKind::Frames;
    case EventKind::Synchronization:
      return LaneKind::Waits;
    default:
      return LaneKind::Calls;
  }
}

/// The lanes of a run, which are found as events are added, and then numbered in the order of the page.
class Lanes {
 public:
  explicit Lanes(const Timeline& timeline) : timeline_(timeline) {}

  void add(LaneKind kind, uint32_t track) { numbers_.try_emplace({kind, track}); }
  /// Lanes beyond the last number share it.
  void number() {
    uint32_t next = 0;
    for (auto& [lane, number] : numbers_)
      number = static_cast<uint16_t>(std::min<uint32_t>(next++, std::numeric_limits<uint16_t>::max()));
  }
  uint16_t of(LaneKind kind, uint32_t track) const { return numbers_.at({kind, track}); }

  nlohmann::ordered_json describe() const {
    auto lanes = nlohmann::ordered_json::array();
    for (const auto& [lane, number] : numbers_) {
      if (lanes.size() > number) break;
      const auto& [section, name, onDevice] = kLaneKinds[static_cast<size_t>(lane.first)];
      const bool isOnDevice = onDevice && timeline_.hasDevice;
      lanes.push_back({{"section", section}, {"name", nameOf(lane.second)}, {"kind", name}, {"device", isOnDevice}});
    }
    return lanes;
  }

 private:
  std::string nameOf(uint32_t index) const {
    const Track& track = timeline_.tracks[index];
    if (!track.name.empty()) return track.name;
    return fmt::format("{} {}", track.device ? "stream" : "thread", track.thread);
  }

  const Timeline& timeline_;
  std::map<std::pair<LaneKind, uint32_t>, uint16_t> numbers_;
};

}  // namespace amdahlc
