/// Sets that are united, each named by one of its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amdahlc {

/// Of the elements from 0 to before `size`, each in a set of its own at first. Boost keeps the sets.
class DisjointSets {
 public:
  explicit DisjointSets(size_t size);

  /// The element that names the set: its smallest one, unless `uniteInto` named it.
  size_t find(size_t element) { return name_[root(element)]; }
  /// Unites the sets of two elements. The smaller name stays.
  void unite(size_t a, size_t b);
  /// Unites the sets of two elements. The name of the second set stays.
  void uniteInto(size_t element, size_t other);

 private:
  uint32_t root(size_t element);
  void link(uint32_t a, uint32_t b, uint32_t name);

  std::vector<uint32_t> parent_;
  std::vector<uint8_t> rank_;
  /// By root.
  std::vector<uint32_t> name_;
};

}  // namespace amdahlc
