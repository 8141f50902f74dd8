#include "runs/execution_trace/sequence_alignment.h"

namespace amdahlc::execution_trace {
namespace {

using Sequence = std::span<const uint32_t>;

/// Paths through the grid of both sequences. A path is on diagonal k where it has passed k more elements of the left
/// one than of the right one. It passes an element of one of them, which is a difference, or an equal one of both.
class Paths {
 public:
  Paths(Sequence left, Sequence right) : left_(left), right_(right) {}

  /// Finds the first path to the end of both. False beyond so many differences.
  bool find(size_t mostDifferences) {
    const auto leftSize = static_cast<int64_t>(left_.size()), rightSize = static_cast<int64_t>(right_.size());
    for (int64_t d = 0; d <= static_cast<int64_t>(mostDifferences); ++d) {
      rounds_.emplace_back();
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = begin(d, k);
        while (x < leftSize && x - k < rightSize && isEqual(x, x - k)) ++x;
        rounds_.back().push_back(x);
        if (x >= leftSize && x - k >= rightSize) return true;
      }
    }
    return false;
  }

  /// Which elements of both the path passes together.
  void markPairs(std::vector<bool>& left, std::vector<bool>& right) const {
    auto x = static_cast<int64_t>(left_.size());
    int64_t k = x - static_cast<int64_t>(right_.size());
    for (auto d = static_cast<int64_t>(rounds_.size()) - 1; d >= 0; --d) {
      for (const int64_t first = begin(d, k); x > first; --x) {
        left[static_cast<size_t>(x - 1)] = true;
        right[static_cast<size_t>(x - 1 - k)] = true;
      }
      const bool passesRight = d > 0 && comesFromAbove(d, k);
      x -= passesRight ? 0 : 1;
      k += passesRight ? 1 : -1;
    }
  }

 private:
  bool isEqual(int64_t x, int64_t y) const { return left_[static_cast<size_t>(x)] == right_[static_cast<size_t>(y)]; }
  /// How many elements of the left sequence the furthest path of d differences has passed on diagonal k.
  int64_t furthest(int64_t d, int64_t k) const {
    return rounds_[static_cast<size_t>(d)][static_cast<size_t>((k + d) / 2)];
  }
  /// Whether the last difference of that path is an element of the right sequence.
  bool comesFromAbove(int64_t d, int64_t k) const {
    return k == -d || (k != d && furthest(d - 1, k - 1) < furthest(d - 1, k + 1));
  }
  /// The same behind the last difference.
  int64_t begin(int64_t d, int64_t k) const {
    if (d == 0) return 0;
    return comesFromAbove(d, k) ? furthest(d - 1, k + 1) : furthest(d - 1, k - 1) + 1;
  }

  Sequence left_, right_;
  /// By number of differences, then from the lowest diagonal in steps of two.
  std::vector<std::vector<int64_t>> rounds_;
};

/// The paired elements over which a gap could slide: where those at its other end are equal, the gap may as well be one
/// element further.
std::vector<bool> ambiguousIn(Sequence sequence, const std::vector<bool>& isPaired) {
  std::vector<bool> isAmbiguous(sequence.size(), false);
  for (size_t begin = 0, end = 0; begin < sequence.size(); begin = end + 1) {
    for (end = begin; end < sequence.size() && !isPaired[end];) ++end;
    if (begin == end) continue;
    for (size_t b = begin, e = end; b > 0 && isPaired[b - 1] && sequence[b - 1] == sequence[e - 1]; --b, --e)
      isAmbiguous[b - 1] = true;
    for (size_t b = begin, e = end; e < sequence.size() && isPaired[e] && sequence[b] == sequence[e]; ++b, ++e)
      isAmbiguous[e] = true;
  }
  return isAmbiguous;
}

}  // namespace

std::optional<Alignment> align(Sequence left, Sequence right, size_t mostDifferences) {
  Paths paths(left, right);
  if (!paths.find(mostDifferences)) return std::nullopt;
  std::vector<bool> leftPaired(left.size(), false), rightPaired(right.size(), false);
  paths.markPairs(leftPaired, rightPaired);
  const std::vector<bool> leftAmbiguous = ambiguousIn(left, leftPaired),
                          rightAmbiguous = ambiguousIn(right, rightPaired);
  Alignment alignment;
  for (uint32_t i = 0, j = 0; i < left.size(); ++i) {
    if (!leftPaired[i]) continue;
    while (!rightPaired[j]) ++j;
    if (leftAmbiguous[i] || rightAmbiguous[j])
      ++alignment.ambiguous;
    else
      alignment.pairs.emplace_back(i, j);
    ++j;
  }
  return alignment;
}

}  // namespace amdahlc::execution_trace
