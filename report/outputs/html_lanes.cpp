#include "report/outputs/html_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>

namespace amdahlc {
namespace {

struct LaneKindInfo {
  std::string_view section, name;
  bool onDevice;
};
constexpr LaneKindInfo kLaneKinds[] = {
    {"process", "annotations", false}, {"process", "annotations", true}, {"process", "modules", false},
    {"process", "frames", false},      {"control", "calls", false},      {"control", "waits", true},
    {"execution", "kernels", true},    {"transfer", "copies", true},     {"transfer", "collectives", true},
};

}  // namespace

LaneKind laneKindOf(EventKind kind) {
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

void Lanes::number() {
  uint32_t next = 0;
  for (auto& [lane, number] : numbers_)
    number = static_cast<uint16_t>(std::min<uint32_t>(next++, std::numeric_limits<uint16_t>::max()));
}

std::vector<DescribedLane> Lanes::describe() const {
  std::vector<DescribedLane> lanes;
  for (const auto& [lane, number] : numbers_) {
    if (lanes.size() > number) break;
    const auto& [section, name, onDevice] = kLaneKinds[static_cast<size_t>(lane.first)];
    const bool isOnDevice = onDevice && timeline_.hasDevice;
    lanes.push_back({section, nameOf(lane.second), name, isOnDevice});
  }
  return lanes;
}

std::string Lanes::nameOf(uint32_t index) const {
  const Track& track = timeline_.tracks[index];
  if (!track.name.empty()) return track.name;
  return fmt::format("{} {}", track.device ? "stream" : "thread", track.thread);
}

}  // namespace amdahlc
