#include "support/id.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>

using namespace amdahlc;

namespace {

using Apple = Id<struct AppleTag>;
using Pear = Id<struct PearTag>;
constexpr NoneId kNone;

template <typename A, typename B>
concept Comparable = requires(A a, B b) { a == b; } || requires(A a, B b) { a < b; };
template <typename Vector, typename Index>
concept Indexable = requires(Vector vector, Index index) { vector[index]; };

// Ids of two kinds do not mix, and none is a number.
static_assert(!std::is_constructible_v<Apple, Pear> && !std::is_convertible_v<Apple, Pear>);
static_assert(!std::is_assignable_v<Apple&, Pear> && !Comparable<Apple, Pear>);
static_assert(!std::is_convertible_v<Apple, uint32_t> && !std::is_constructible_v<uint32_t, Apple>);
static_assert(!std::is_convertible_v<uint32_t, Apple> && std::is_constructible_v<Apple, uint32_t>);
static_assert(!std::is_constructible_v<Apple, bool> && !std::is_constructible_v<Apple, double>);
static_assert(!Comparable<Apple, uint32_t> && !std::is_assignable_v<Apple&, int>);
// Only the none of every kind converts.
static_assert(std::is_convertible_v<NoneId, Apple> && Comparable<Apple, NoneId>);
static_assert(!std::is_convertible_v<NoneId, uint32_t>);
// A vector is indexed by ids of its kind alone.
static_assert(Indexable<IdVector<Apple, int>, Apple>);
static_assert(!Indexable<IdVector<Apple, int>, Pear> && !Indexable<IdVector<Apple, int>, size_t>);
// An id is as cheap as its number.
static_assert(sizeof(Apple) == sizeof(uint32_t) && std::is_trivially_copyable_v<Apple>);

}  // namespace

TEST_CASE("an id is none until it gets an index, and none is after all others") {
  const Apple none;
  CHECK(none.isNone());
  CHECK(none == kNone);
  CHECK(Apple(3) != kNone);
  CHECK(Apple(3).index() == 3);
  CHECK(Apple(3).next() == Apple(4));
  CHECK(std::set<Apple>{kNone, Apple(7), Apple(2)} == std::set<Apple>{Apple(2), Apple(7), Apple(kNone)});
  CHECK(*std::set<Apple>{kNone, Apple(7)}.begin() == Apple(7));
}

TEST_CASE("ids are hashed by their number") {
  std::unordered_set<Apple> set;
  for (uint32_t i = 0; i < 1000; ++i) set.insert(Apple(i % 500));
  CHECK(set.size() == 500);
  CHECK(set.contains(Apple(499)));
  CHECK_FALSE(set.contains(Apple(500)));
  CHECK_FALSE(set.contains(kNone));
  CHECK(std::hash<Apple>{}(Apple(5)) == std::hash<Apple>{}(Apple(5)));
  CHECK(std::hash<Apple>{}(Apple(5)) != std::hash<Apple>{}(Apple(6)));
}

TEST_CASE("a vector gives ids out in order and knows which are its own") {
  IdVector<Apple, std::string> names;
  CHECK(names.nextId() == Apple(0));
  CHECK(names.push_back("a") == Apple(0));
  CHECK(names.push_back("b") == Apple(1));
  names.emplace_back(2, 'c');
  CHECK(names[Apple(2)] == "cc");
  CHECK(names.contains(Apple(2)));
  CHECK_FALSE(names.contains(Apple(3)));
  CHECK_FALSE(names.contains(kNone));
  std::string seen;
  for (const Apple id : names.ids()) seen += std::to_string(id.index()) + names[id] + ' ';
  CHECK(seen == "0a 1b 2cc ");
  size_t count = 0;
  for (const Apple id : IdVector<Apple, int>().ids()) count += 1 + id.index();
  CHECK(count == 0);
}

TEST_CASE("a vector of flags can be written by id") {
  IdVector<Apple, bool> flags(3, false);
  flags[Apple(1)] = true;
  CHECK(flags == IdVector<Apple, bool>{false, true, false});
}
