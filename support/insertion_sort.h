/// A stable sort of few items, in little code: the module of the page has no room for a fast one of each type.
#pragma once

#include <algorithm>

namespace amdahlc {

/// Cost: quadratic in the items.
template <typename Items, typename Less>
void insertionSort(Items& items, const Less& less) {
  for (auto next = items.begin(); next != items.end(); ++next)
    std::rotate(std::upper_bound(items.begin(), next, *next, less), next, next + 1);
}

}  // namespace amdahlc
