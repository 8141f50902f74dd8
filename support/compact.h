/// Sorting and tables that are small in a module for WebAssembly, whose size counts before its speed.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace amdahlc {

/// Sorts as `std::ranges::sort` does; in a module by a heap, with a tenth of the code.
template <typename Range, typename Less = std::ranges::less, typename Projection = std::identity>
void compactSort(Range&& range, Less less = {}, Projection projection = {}) {
#ifdef __wasm__
  std::ranges::make_heap(range, less, projection);
  std::ranges::sort_heap(range, less, projection);
#else
  std::ranges::sort(range, std::move(less), std::move(projection));
#endif
}

/// A table that nobody visits in order: a hash table; in a module a tree, as other tables there are.
#ifdef __wasm__
template <typename Key, typename Value>
using CompactMap = std::map<Key, Value>;
#else
template <typename Key, typename Value>
using CompactMap = std::unordered_map<Key, Value>;
#endif

}  // namespace amdahlc
