#include "passes/trace_bind/repeats.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace amdahlc::binding {

namespace {

/// Elements of a subsequence that is compared.
constexpr size_t kLength = 8;
constexpr size_t kMostLags = 64;
/// A repetition may be longer or shorter than the lag by one in so many elements.
constexpr size_t kJitterPart = 16;

bool agrees(std::span<const uint32_t> sequence, size_t a, size_t b) {
  return std::equal(sequence.begin() + static_cast<ptrdiff_t>(a),
                    sequence.begin() + static_cast<ptrdiff_t>(a + kLength),
                    sequence.begin() + static_cast<ptrdiff_t>(b));
}

/// Distances between neighbors of equal subsequences, of the rarest ones first.
std::set<size_t> lagsToTry(std::span<const uint32_t> sequence, size_t least) {
  std::vector<size_t> begins(sequence.size() - kLength + 1);
  std::iota(begins.begin(), begins.end(), size_t{0});
  const auto at = [&](size_t begin) { return sequence.subspan(begin, kLength); };
  std::stable_sort(begins.begin(), begins.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
  });
  struct Group {
    size_t first, count;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < begins.size(); ++i) {
    if (i == 0 || !agrees(sequence, begins[i - 1], begins[i])) groups.push_back({i, 0});
    ++groups.back().count;
  }
  std::erase_if(groups, [](const Group& group) { return group.count < 2; });
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.count < b.count; });
  std::set<size_t> lags;
  for (const Group& group : groups) {
    for (size_t i = group.first + 1; i < group.first + group.count && lags.size() < kMostLags; ++i)
      if (begins[i] - begins[i - 1] >= least) lags.insert(begins[i] - begins[i - 1]);
    if (lags.size() >= kMostLags) break;
  }
  return lags;
}

}  // namespace

std::optional<size_t> repetitionLag(std::span<const uint32_t> sequence, size_t least) {
  if (sequence.size() < 2 * kLength) return std::nullopt;
  std::optional<size_t> best;
  double most = 0.9;
  for (const size_t lag : lagsToTry(sequence, least)) {
    size_t equal = 0;
    const size_t compared = sequence.size() - lag;
    for (size_t i = 0; i < compared; ++i) equal += sequence[i] == sequence[i + lag];
    const double share = static_cast<double>(equal) / static_cast<double>(compared);
    if (share <= most) continue;
    most = share;
    best = lag;
  }
  return best;
}

std::vector<size_t> repetitionBegins(std::span<const uint32_t> sequence, size_t first, size_t lag) {
  std::vector<size_t> begins{first};
  const size_t jitter = lag / kJitterPart;
  while (begins.back() + lag < sequence.size()) {
    const size_t expected = begins.back() + lag;
    size_t next = expected;
    for (size_t away = 0; away <= jitter; ++away) {
      const auto isBegin = [&](size_t begin) {
        return begin + kLength <= sequence.size() && agrees(sequence, begins.back(), begin);
      };
      if (!isBegin(expected + away) && !isBegin(expected - away)) continue;
      next = isBegin(expected + away) ? expected + away : expected - away;
      break;
    }
    begins.push_back(next);
  }
  return begins;
}

}  // namespace amdahlc::binding
