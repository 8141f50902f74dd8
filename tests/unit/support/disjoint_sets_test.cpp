#include "support/disjoint_sets.h"

#include <doctest/doctest.h>

#include <random>

using amdahlc::DisjointSets;

TEST_CASE("a set is named by its smallest element, or by what its elements were united into") {
  DisjointSets sets(6);
  sets.unite(4, 2);
  sets.unite(5, 4);
  CHECK(sets.find(5) == 2);
  CHECK(sets.find(3) == 3);
  sets.uniteInto(2, 3);
  CHECK(sets.find(5) == 3);
  sets.uniteInto(4, 5);  // one set already
  CHECK(sets.find(2) == 3);
  sets.unite(0, 5);
  CHECK(sets.find(4) == 0);
  CHECK(sets.find(1) == 1);
}

TEST_CASE("sets agree with labels that are rewritten at each union") {
  std::mt19937 random(5);
  constexpr size_t kCount = 40;
  DisjointSets sets(kCount);
  std::vector<size_t> label(kCount);
  for (size_t i = 0; i < kCount; ++i) label[i] = i;
  for (int step = 0; step < 60; ++step) {
    const size_t a = random() % kCount, b = random() % kCount;
    const bool into = random() % 2 == 0;
    const size_t old = label[a], other = label[b], name = into ? other : std::min(old, other);
    for (size_t& one : label)
      if (one == old || one == other) one = name;
    into ? sets.uniteInto(a, b) : sets.unite(a, b);
    for (size_t i = 0; i < kCount; ++i) REQUIRE(sets.find(i) == label[i]);
  }
}
