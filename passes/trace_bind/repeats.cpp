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
  std::stable_sort(begins.begin(), begins.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
  });
  std::vector<std::span<const size_t>> groups;
  std::map<size_t, size_t> groupsOfSize;
  for (size_t first = 0, last = 1; first < begins.size(); first = last++) {
    bool isFar = true;
    for (; last < begins.size() &&
           std::equal(at(begins[first]).begin(), at(begins[first]).end(), at(begins[last]).begin());
         ++last)
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
  const auto earliest = std::min_element(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.size() != usual, a.front()) < std::pair(b.size() != usual, b.front());
  });
  return {earliest->begin(), earliest->end()};
}

}  // namespace amdahlc::binding
