#include "runs/execution_trace/sequence_alignment.h"

#include "support/common_subsequence.h"

namespace amdahlc::execution_trace {
namespace {

using Sequence = std::span<const uint32_t>;

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
  const auto pairs = commonSubsequence(left, right);
  if (left.size() + right.size() - 2 * pairs.size() > mostDifferences) return std::nullopt;
  std::vector<bool> leftPaired(left.size(), false), rightPaired(right.size(), false);
  for (const auto& [i, j] : pairs) leftPaired[i] = rightPaired[j] = true;
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
