#include "support/string_pool.h"

#include <doctest/doctest.h>

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
