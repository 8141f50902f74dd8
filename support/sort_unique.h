/// Lists without repetition.
#pragma once

#include <algorithm>
#include <vector>

namespace amdahlc {

/// Sorts a list and keeps one of equal elements.
template <typename T>
void sortUnique(std::vector<T>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace amdahlc
