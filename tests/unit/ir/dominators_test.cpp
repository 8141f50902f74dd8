#include "ir/dominators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/compressed_rows.h"

using amdahlc::CompressedRows;
using amdahlc::ir::DominatorTree;

namespace {

using Rows = CompressedRows<uint32_t, uint32_t>;

DominatorTree treeOf(const Rows& predecessors) {
  return DominatorTree(static_cast<uint32_t>(predecessors.size()), [&](uint32_t v) { return predecessors[v]; });
}

/// A graph of `count` vertices in which every vertex but the entry has one to three predecessors, most of them near.
Rows randomGraph(uint32_t count, std::mt19937& random) {
  Rows predecessors;
  predecessors.endRow();
  for (uint32_t v = 1; v < count; ++v) {
    const uint32_t edges = 1 + random() % 3;
    for (uint32_t edge = 0; edge < edges; ++edge) {
      const uint32_t reach = random() % 4 == 0 ? v : std::min(v, 3u);
      predecessors.append(v - 1 - random() % reach);
    }
    predecessors.endRow();
  }
  return predecessors;
}

/// Whether a path from the entry to `target` avoids `without`.
bool reachedWithout(const Rows& predecessors, uint32_t target, uint32_t without) {
  if (without == 0) return false;
  std::vector<bool> reached(predecessors.size(), false);
  reached[0] = true;
  for (uint32_t v = 1; v <= target; ++v) {
    for (const uint32_t p : predecessors[v]) reached[v] = reached[v] || (reached[p] && v != without);
  }
  return reached[target];
}

}  // namespace

TEST_CASE("the immediate dominator is the last vertex that no path avoids") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const Rows predecessors = randomGraph(2 + random() % 30, random);
    const DominatorTree tree = treeOf(predecessors);
    for (uint32_t v = 1; v < tree.size(); ++v) {
      uint32_t last = 0;
      for (uint32_t above = 0; above < v; ++above) {
        if (!reachedWithout(predecessors, v, above)) last = above;
      }
      CHECK(tree.immediateDominator(v) == last);
      CHECK(tree.depth(v) == tree.depth(last) + 1);
    }
  }
}

TEST_CASE("ancestors are found by depth and by number") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    const Rows predecessors = randomGraph(2 + random() % 60, random);
    const DominatorTree tree = treeOf(predecessors);
    const auto chainOf = [&](uint32_t v) {
      std::vector<uint32_t> chain{v};
      while (v != 0) chain.push_back(v = tree.immediateDominator(v));
      return chain;  // from `v` up to the entry
    };
    for (uint32_t a = 0; a < tree.size(); ++a) {
      const auto chain = chainOf(a);
      for (uint32_t depth = 0; depth <= tree.depth(a); ++depth)
        CHECK(tree.dominatorAtDepth(a, depth) == chain[chain.size() - 1 - depth]);
      for (uint32_t least = 0; least <= a; ++least) {
        const auto first = std::find_if(chain.rbegin(), chain.rend(), [&](uint32_t v) { return v >= least; });
        CHECK(tree.firstDominatorFrom(a, least) == *first);
      }
      for (uint32_t b = 0; b < tree.size(); ++b) {
        const auto other = chainOf(b);
        const auto common = std::find_first_of(chain.begin(), chain.end(), other.begin(), other.end());
        CHECK(tree.nearestCommonDominator(a, b) == *common);
      }
    }
  }
}

TEST_CASE("a chain with skips of every length takes neither a stack nor quadratic time") {
  constexpr uint32_t kCount = 1'000'000;
  Rows predecessors;
  predecessors.endRow();
  for (uint32_t v = 1; v < kCount; ++v) {
    predecessors.append(v - 1);
    // Skips over most of the chain, from the same early vertices again and again.
    if (v % 2 == 0 && v >= 1000) predecessors.append(v % 1000);
    predecessors.endRow();
  }
  const DominatorTree tree = treeOf(predecessors);
  CHECK(tree.immediateDominator(999) == 998);
  CHECK(tree.immediateDominator(kCount - 1) == kCount - 2);
  CHECK(tree.immediateDominator(kCount - 2) == 0);
}
