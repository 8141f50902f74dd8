#include "support/common_subsequence.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/limits.h"

using amdahlc::commonSubsequence;
using amdahlc::placesOf;
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

TEST_CASE("a sequence has places in any other that contains it, and none elsewhere") {
  std::mt19937 random(5);
  // More elements are left out, with others that are equal to them nearby, than commonSubsequence searches.
  const Sequence whole = randomSequence(random, 20'000, 50);
  Sequence part;
  for (size_t place = 0; place < whole.size(); place += 1 + random() % 8) part.push_back(whole[place]);
  REQUIRE(commonSubsequence(whole, part).size() < part.size());
  const auto places = placesOf(part, whole);
  REQUIRE(places);
  REQUIRE(places->size() == part.size());
  for (size_t i = 0; i < part.size(); ++i) {
    CHECK(whole[(*places)[i]] == part[i]);
    if (i > 0) CHECK((*places)[i - 1] < (*places)[i]);
  }
  // The first pair of equal elements is not taken if a longer run of them follows.
  CHECK(placesOf(Sequence{1, 2}, Sequence{1, 3, 1, 2}) == std::vector<size_t>{2, 3});
  CHECK(placesOf(Sequence{}, whole) == std::vector<size_t>{});
  part.push_back(77);
  CHECK(!placesOf(part, whole));
  CHECK(!placesOf(Sequence{2, 1}, Sequence{1, 2}));
}
