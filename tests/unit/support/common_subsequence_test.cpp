#include "support/common_subsequence.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/limits.h"

using amdahlc::commonSubsequence;
using Sequence = std::vector<uint32_t>;

namespace {

/// The length of a longest common subsequence, by the table of all prefixes.
size_t longestLength(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<size_t>> length(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1 : std::max(length[i - 1][j], length[i][j - 1]);
  return length[a.size()][b.size()];
}

void checkPairs(const Sequence& a, const Sequence& b) {
  size_t nextA = 0, nextB = 0;
  for (const auto& [i, j] : commonSubsequence(a, b)) {
    REQUIRE(i >= nextA);
    REQUIRE(j >= nextB);
    REQUIRE(i < a.size());
    REQUIRE(j < b.size());
    CHECK(a[i] == b[j]);
    nextA = i + 1;
    nextB = j + 1;
  }
}

Sequence randomSequence(std::mt19937& random, size_t length, uint32_t kinds) {
  Sequence sequence(length);
  for (uint32_t& element : sequence) element = random() % kinds;
  return sequence;
}

}  // namespace

TEST_CASE("common subsequences are as long as the longest one") {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const Sequence a = randomSequence(random, random() % 20, 1 + round % 5),
                   b = randomSequence(random, random() % 20, 1 + round % 5);
    checkPairs(a, b);
    CHECK(commonSubsequence(a, b).size() == longestLength(a, b));
  }
}

TEST_CASE("sequences that differ in more elements than are searched still have pairs, in linear time") {
  std::mt19937 random(4);
  const size_t length = 20'000;
  const Sequence a = randomSequence(random, length, 50), b = randomSequence(random, length, 50);
  checkPairs(a, b);
  CHECK(commonSubsequence(a, b).size() > length / 10);
  // Nothing in common.
  CHECK(commonSubsequence(Sequence(length, 1), Sequence(length, 2)).empty());
  // A long part that one of them lacks.
  Sequence longer = a;
  longer.insert(longer.begin() + 100, static_cast<size_t>(amdahlc::limits::kDifferences) * 2, 77);
  checkPairs(a, longer);
  CHECK(commonSubsequence(a, longer).size() > length / 2);
}
