/// Finds the known name that is nearest to a misspelled one, for "did you mean" in messages.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc {

/// Levenshtein distance with transpositions, not case-sensitive; stops at `limit` + 1.
size_t editDistance(std::string_view a, std::string_view b, size_t limit);
/// The candidate nearest to `name` within a third of its length (at least 1, at most 3); the first of equals.
std::optional<std::string> closestName(std::string_view name, std::span<const std::string> candidates);
/// `; did you mean `x`?` or an empty string.
std::string didYouMean(std::string_view name, std::span<const std::string> candidates);
/// The same, or where no candidate is near, all of them: `; known: a, b`, each between `mark`s.
std::string didYouMeanOrKnown(std::string_view name, std::span<const std::string> candidates,
                              std::string_view mark = "`");

}  // namespace amdahlc
