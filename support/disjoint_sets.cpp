#include "support/disjoint_sets.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

namespace amdahlc {
namespace {

using Forest = boost::disjoint_sets<uint8_t*, uint32_t*, boost::find_with_path_halving>;

}  // namespace

DisjointSets::DisjointSets(size_t size) : parent_(size), rank_(size, 0) {
  std::iota(parent_.begin(), parent_.end(), uint32_t{0});
  name_ = parent_;
}

uint32_t DisjointSets::root(size_t element) {
  return Forest(rank_.data(), parent_.data()).find_set(static_cast<uint32_t>(element));
}

void DisjointSets::link(uint32_t a, uint32_t b, uint32_t name) {
  Forest(rank_.data(), parent_.data()).link(a, b);
  name_[root(a)] = name;
}

void DisjointSets::unite(size_t a, size_t b) {
  const uint32_t first = root(a), second = root(b);
  link(first, second, std::min(name_[first], name_[second]));
}

void DisjointSets::uniteInto(size_t element, size_t other) {
  const uint32_t first = root(element), second = root(other);
  link(first, second, name_[second]);
}

}  // namespace amdahlc
