#include "replay/timeline/representative_iteration.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace amdahlc {

size_t representativeIteration(const Timeline& timeline, std::span<const int64_t> wallsNs) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < wallsNs.size(); ++i)
    if (timeline.iterations[i].selected()) order.emplace_back(wallsNs[i], i);
  std::sort(order.begin(), order.end());
  return order.empty() ? 0 : order[(order.size() - 1) / 2].second;
}

}  // namespace amdahlc
