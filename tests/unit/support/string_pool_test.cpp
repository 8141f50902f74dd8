#include "support/string_pool.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace amdahlc;

TEST_CASE("equal text is one symbol, and the empty symbol is the empty text") {
  StringPool pool;
  const Symbol a = pool.intern("a");
  CHECK(pool.intern(std::string("a")) == a);
  CHECK_FALSE(pool.intern("b") == a);
  CHECK(pool.text(a) == "a");
  CHECK(pool.intern("").empty());
  CHECK(pool.find("b") == pool.intern("b"));
  CHECK(pool.find("c").empty());
  CHECK(pool.size() == 3);
}

TEST_CASE("symbols stay valid when the pool moves") {
  StringPool pool;
  const Symbol a = pool.intern("a");
  const StringPool moved = std::move(pool);
  CHECK(moved.text(a) == "a");
  CHECK(moved.find("a") == a);
}

TEST_CASE("texts of any length stay where they are, also when the pool grows and moves") {
  StringPool pool;
  const std::string_view first = pool.text(pool.intern("first"));
  const std::string large(200'000, 'x');
  const Symbol big = pool.intern(large);
  for (int i = 0; i < 20'000; ++i) pool.intern("text " + std::to_string(i));
  const StringPool moved = std::move(pool);
  CHECK(moved.text(moved.find("first")).data() == first.data());
  CHECK(moved.text(big) == large);
  CHECK(moved.text(moved.find("text 19999")) == "text 19999");
  CHECK(moved.size() == 20'003);
}
