/// Sets that are united, each named by its smallest element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace amdahlc {

/// Of the elements from 0 to before `size`, each in a set of its own at first.
class DisjointSets {
 public:
  explicit DisjointSets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }

  /// The smallest element of the set.
  size_t find(size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void unite(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

}  // namespace amdahlc
