#include "support/edit_distance.h"

#include <algorithm>
#include <cstdlib>

#include "support/case_folding.h"

namespace amdahlc {

size_t editDistance(std::string_view a, std::string_view b, size_t limit) {
  const size_t beyond = limit + 1;
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return beyond;
  // Three rows of the usual table, because a transposition reads two rows back.
  std::vector<size_t> previous2(a.size() + 1), previous(a.size() + 1), row(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i) previous[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    row[0] = j;
    size_t best = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      const bool same = toLower(a[i - 1]) == toLower(b[j - 1]);
      size_t cost = std::min({row[i - 1] + 1, previous[i] + 1, previous[i - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && toLower(a[i - 1]) == toLower(b[j - 2]) && toLower(a[i - 2]) == toLower(b[j - 1]))
        cost = std::min(cost, previous2[i - 2] + 1);
      row[i] = cost;
      best = std::min(best, cost);
    }
    // A transposition can still come from the previous row, so `best > limit` alone is not enough.
    if (best > limit && *std::ranges::min_element(previous) > limit) return beyond;
    std::swap(previous2, previous);
    std::swap(previous, row);
  }
  return std::min(previous[a.size()], beyond);
}

std::optional<std::string> closestName(std::string_view name, std::span<const std::string> candidates) {
  if (name.empty()) return std::nullopt;
  size_t limit = std::clamp<size_t>(name.size() / 3, 1, 3);
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    const size_t distance = editDistance(name, candidate, limit);
    // A name that is replaced as a whole is not a typing error: `b` is not suggested for `a`.
    if (distance > limit || distance >= std::max(name.size(), candidate.size())) continue;
    nearest = &candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

std::string didYouMean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = closestName(name, candidates);
  return nearest ? "; did you mean `" + *nearest + "`?" : std::string();
}

std::string didYouMeanOrKnown(std::string_view name, std::span<const std::string> candidates, std::string_view mark) {
  std::string hint = didYouMean(name, candidates);
  if (!hint.empty()) return hint;
  for (const std::string& known : candidates)
    hint.append(hint.empty() ? "; known: " : ", ").append(mark).append(known).append(mark);
  return hint;
}

}  // namespace amdahlc
