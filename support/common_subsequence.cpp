#include "support/common_subsequence.h"

#include <algorithm>

#include "support/limits.h"

namespace amdahlc {

namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

/// One round of the greedy algorithm on two sequences without a common beginning. On diagonal k, `a` is k elements
/// further than `b`. `reached[d]` has, for each of the diagonals -d, -d + 2, ..., d, the furthest place in `a` that d
/// differences reach.
class Round {
 public:
  Round(std::span<const uint32_t> a, std::span<const uint32_t> b) : a_(a), b_(b) {}

  /// Appends the pairs that the round finds, with `offset` added, and returns the places that it reached.
  std::pair<size_t, size_t> run(std::pair<size_t, size_t> offset, Pairs& pairs) {
    const auto [differences, diagonal] = search();
    const int64_t x = at(differences, diagonal);
    const size_t before = pairs.size();
    trace(differences, diagonal, offset, pairs);
    std::reverse(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end());
    return {static_cast<size_t>(x), static_cast<size_t>(x - diagonal)};
  }

 private:
  int64_t at(int64_t differences, int64_t diagonal) const {
    return reached_[static_cast<size_t>(differences)][static_cast<size_t>((diagonal + differences) / 2)];
  }

  /// Where d differences begin on a diagonal, before equal elements are passed: behind an element of `b` that is left
  /// out, or behind one of `a`, whichever is further.
  bool comesFromB(int64_t d, int64_t k) const { return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1)); }

  /// The number of differences and the diagonal of the place that is reached at the end, or where the search stops.
  std::pair<int64_t, int64_t> search() {
    const auto sizeA = static_cast<int64_t>(a_.size()), sizeB = static_cast<int64_t>(b_.size());
    for (int64_t d = 0;; ++d) {
      auto& row = reached_.emplace_back();
      row.reserve(static_cast<size_t>(d) + 1);
      std::pair<int64_t, int64_t> best{-1, 0};  // the sum of the places in `a` and `b`, the diagonal
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = d == 0 ? 0 : comesFromB(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
        // A place beyond an end is no place, but its diagonal must stay in the row.
        while (x < sizeA && x - k < sizeB && x - k >= 0 && a_[static_cast<size_t>(x)] == b_[static_cast<size_t>(x - k)])
          ++x;
        row.push_back(x);
        if (x == sizeA && x - k == sizeB) return {d, k};
        if (x <= sizeA && x - k <= sizeB && x - k >= 0) best = std::max(best, {2 * x - k, k});
      }
      if (d == limits::kDifferences) return {d, best.second};
    }
  }

  /// Appends the pairs on the way to a place, the last one first.
  void trace(int64_t d, int64_t k, std::pair<size_t, size_t> offset, Pairs& pairs) const {
    for (;; --d) {
      const int64_t x = at(d, k);
      const bool fromB = d > 0 && comesFromB(d, k);
      const int64_t begin = d == 0 ? 0 : fromB ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
      for (int64_t i = x; i-- > begin;)
        pairs.emplace_back(offset.first + static_cast<size_t>(i), offset.second + static_cast<size_t>(i - k));
      if (d == 0) return;
      k += fromB ? 1 : -1;
    }
  }

  const std::span<const uint32_t> a_, b_;
  std::vector<std::vector<int64_t>> reached_;
};

}  // namespace

std::vector<std::pair<size_t, size_t>> commonSubsequence(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  Pairs pairs;
  std::pair<size_t, size_t> done{0, 0};
  while (done.first < a.size() && done.second < b.size()) {
    const auto [x, y] = Round(a.subspan(done.first), b.subspan(done.second)).run(done, pairs);
    done = {done.first + x, done.second + y};
  }
  return pairs;
}

std::optional<std::vector<size_t>> placesOf(std::span<const uint32_t> part, std::span<const uint32_t> whole) {
  std::vector<size_t> places;
  places.reserve(part.size());
  for (const auto& [place, element] : commonSubsequence(whole, part)) places.push_back(place);
  if (places.size() == part.size()) return places;
  places.clear();
  for (size_t place = 0; place < whole.size() && places.size() < part.size(); ++place)
    if (whole[place] == part[places.size()]) places.push_back(place);
  if (places.size() < part.size()) return std::nullopt;
  return places;
}

}  // namespace amdahlc
