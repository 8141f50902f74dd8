#include "support/absence.h"

#include <doctest/doctest.h>

using namespace amdahlc;

TEST_CASE("a clause has the arguments of its reason, with braces as they are") {
  CHECK(describe({Absence::Reason::NoDevice}) == "the trace has no device work");
  CHECK(describe({Absence::Reason::NoPass, {"{}"}}) == "the pipeline has no pass `{}`");
}

TEST_CASE("the clause of each reason can be written") {
  constexpr Absence::Reason kReasons[] = {
#define AMDAHLC_ABSENCE(REASON, CLAUSE) Absence::Reason::REASON,
#include "support/absences.def"
  };
  for (const Absence::Reason reason : kReasons) CHECK_FALSE(describe({reason, {"a", "b", "c"}}).empty());
}

TEST_CASE("a fact is known, or absent for a reason") {
  const Known<int> known = 7;
  CHECK(known);
  CHECK(*known == 7);
  CHECK_FALSE(known.absence().has_value());
  const Known<int> absent = Absence{Absence::Reason::NoStarts};
  CHECK_FALSE(absent);
  CHECK(absent.absence() == Absence{Absence::Reason::NoStarts});
}
