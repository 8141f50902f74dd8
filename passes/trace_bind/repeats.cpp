#include "passes/trace_bind/repeats.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace amdahlc::binding {

std::vector<size_t> repetitions(std::span<const uint32_t> sequence, size_t least) {
  constexpr size_t kLength = 8;
  if (sequence.size() < 2 * kLength) return {};
  const auto at = [&](size_t begin) { return sequence.subspan(begin, kLength); };
  std::vector<size_t> begins(sequence.size() - kLength + 1);
  std::iota(begins.begin(), begins.end(), size_t{0});
  std::ranges::stable_sort(begins, std::ranges::lexicographical_compare, at);
  std::vector<std::span<const size_t>> groups;
  std::map<size_t, size_t> groupsOfSize;
  for (size_t first = 0, last = 1; first < begins.size(); first = last++) {
    bool isFar = true;
    for (; last < begins.size() && std::ranges::equal(at(begins[first]), at(begins[last])); ++last)
      isFar &= begins[last] - begins[last - 1] >= least;
    if (!isFar || last - first < 2) continue;
    groups.emplace_back(begins.data() + first, last - first);
    ++groupsOfSize[last - first];
  }
  if (groups.empty()) return {};
  size_t most = 0, usual = 0;
  for (const auto& [size, count] : groupsOfSize) most = std::max(most, count);
  // Those that span the end of one repetition and the begin of the next occur once less than others.
  for (const auto& [size, count] : groupsOfSize)
    if (2 * count >= most) usual = size;
  const auto earliest = std::ranges::min_element(
      groups, {}, [&](const auto& group) { return std::pair(group.size() != usual, group.front()); });
  return {earliest->begin(), earliest->end()};
}

}  // namespace amdahlc::binding
