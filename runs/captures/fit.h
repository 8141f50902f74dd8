/// Which launches of a capture the events of a launched graph are. Internal to captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc::captures {

/// Numbers what an event and a captured launch have in common if the one may be the other: the kernel, or that it is a
/// copy or a set.
class WorkKeys {
 public:
  /// The texts must outlive it.
  uint32_t of(EventKind kind, std::string_view kernel) {
    if (kind != EventKind::Kernel) kernel = {};
    return keys_.try_emplace({kind, kernel}, static_cast<uint32_t>(keys_.size())).first->second;
  }

 private:
  std::map<std::pair<EventKind, std::string_view>, uint32_t> keys_;
};

/// Work in order, with the streams that it is on; `lanes` is empty if they are not known.
struct WorkSequence {
  std::vector<uint32_t> keys, lanes;
};

struct Fit {
  /// Places of events and of launches, ascending in events.
  std::vector<std::pair<size_t, size_t>> pairs;
  /// Further pairs that agree but for their grids.
  size_t otherGrids = 0;
};

/// Events and launches that agree in kernel, order and grid: by order in each stream, where both have several streams
/// and that finds more, else in all. A grid that either of them does not state agrees.
Fit fit(const Timeline& run, std::span<const EventIndex> events, const WorkSequence& ran,
        std::span<const CapturedLaunch> launches, const WorkSequence& captured);

/// Whether so many pairs can tell that sequences of these lengths are of one graph: nine tenths of the longer one.
constexpr bool isEnough(size_t pairs, size_t events, size_t launches) {
  return pairs > 0 && 10 * pairs >= 9 * (events < launches ? launches : events);
}

}  // namespace amdahlc::captures
