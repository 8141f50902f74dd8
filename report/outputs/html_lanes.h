/// The lanes of a page's timeline.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
/// As the page names its parts.
struct DescribedLane {
  std::string_view section;
  std::string name;
  std::string_view kind;
  bool isOnDevice;
};

/// Of a host event.
LaneKind laneKindOf(EventKind kind);

/// The lanes of a run, which are found as events are added, and then numbered in the order of the page.
class Lanes {
 public:
  explicit Lanes(const Timeline& timeline) : timeline_(timeline) {}

  void add(LaneKind kind, uint32_t track) { numbers_.try_emplace({kind, track}); }
  /// Lanes beyond the last number share it.
  void number();
  uint16_t of(LaneKind kind, uint32_t track) const { return numbers_.at({kind, track}); }
  /// In the order of their numbers.
  std::vector<DescribedLane> describe() const;

 private:
  std::string nameOf(uint32_t track) const;

  const Timeline& timeline_;
  std::map<std::pair<LaneKind, uint32_t>, uint16_t> numbers_;
};

}  // namespace amdahlc
