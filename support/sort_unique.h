/// Lists without repetition.
#pragma once

#include <algorithm>
#include <vector>

#include "support/compact.h"

namespace amdahlc {

/// Sorts a list and keeps one of equal elements.
template <typename T>
void sortUnique(std::vector<T>& list) {
  compactSort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace amdahlc
