#include "ir/expression/value.h"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

namespace amdahlc::expression {
namespace {

using Kind = ir::Expr::Kind;
using enum Truth;

Value of(std::integral auto number) { return Value::of(static_cast<int64_t>(number)); }
Value of(double number) { return Value::of(number); }
Value of(std::string_view text) { return Value::of(text); }
Value list(std::vector<Value> items) { return Value::list(std::move(items)); }
const Value kUnknownValue = Value::unknown();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the logic is Kleene's") {
  constexpr Truth kTruths[] = {False, True, Unknown};
  constexpr Truth kAnd[3][3] = {{False, False, False}, {False, True, Unknown}, {False, Unknown, Unknown}};
  constexpr Truth kOr[3][3] = {{False, True, Unknown}, {True, True, True}, {Unknown, True, Unknown}};
  constexpr Truth kNot[3] = {True, False, Unknown};
  for (size_t a = 0; a < 3; ++a) {
    CHECK(negation(kTruths[a]) == kNot[a]);
    for (size_t b = 0; b < 3; ++b) {
      CHECK(conjunction(kTruths[a], kTruths[b]) == kAnd[a][b]);
      CHECK(disjunction(kTruths[a], kTruths[b]) == kOr[a][b]);
    }
  }
}

TEST_CASE("numbers are equal exactly among integers, and as float32 sees them otherwise") {
  CHECK(equal(of(int64_t{1} << 53), of((int64_t{1} << 53) + 1)) == False);
  CHECK(equal(of(0.1), of(0.10000000149011612)) == True);  // 0.1f
  CHECK(equal(of(0.1), of(0.1001)) == False);
  CHECK(equal(of(3), of(3.0)) == True);
  CHECK(equal(of(3), of(3.5)) == False);
}

TEST_CASE("an infinity is equal only to itself, and NaN to no number") {
  CHECK(equal(of(-kInfinity), of(-1000)) == False);
  CHECK(compare(Kind::Lt, of(-kInfinity), of(-1000)) == True);
  CHECK(equal(of(kInfinity), of(kInfinity)) == True);
  CHECK(equal(of(kInfinity), of(-kInfinity)) == False);
  CHECK(equal(of(kNan), of(kNan)) == False);
  for (const Kind kind : {Kind::Lt, Kind::Le, Kind::Gt, Kind::Ge}) CHECK(compare(kind, of(kNan), of(1)) == False);
}

TEST_CASE("order agrees with equality") {
  CHECK(compare(Kind::Lt, of(0.1), of(0.10000000149011612)) == False);
  CHECK(compare(Kind::Le, of(0.10000000149011612), of(0.1)) == True);
  CHECK(compare(Kind::Gt, of(kMax), of(kMax - 1)) == True);
  CHECK(compare(Kind::Ge, of(2), of(2.0)) == True);
  CHECK(compare(Kind::Lt, of("a"), of("b")) == Unknown);
  CHECK(compare(Kind::Lt, kUnknownValue, of(1)) == Unknown);
}

TEST_CASE("a symbolic dimension is equal to itself and otherwise unknown") {
  CHECK(equal(Value::symbol("batch"), Value::symbol("batch")) == True);
  CHECK(equal(Value::symbol("batch"), Value::symbol("sequence")) == Unknown);
  CHECK(equal(Value::symbol("batch"), of(4)) == Unknown);
  CHECK(arithmetic(Kind::Sub, Value::symbol("batch"), Value::symbol("batch")).isUnknown());
}

TEST_CASE("lists are equal element by element, and one difference decides") {
  CHECK(equal(list({of(0), of(2)}), list({of(0), of(2)})) == True);
  CHECK(equal(list({of(0), of(2)}), list({of(0)})) == False);
  CHECK(equal(list({of(0), kUnknownValue}), list({of(0), of(2)})) == Unknown);
  CHECK(equal(list({kUnknownValue, of(3)}), list({of(0), of(2)})) == False);
}

TEST_CASE("element types, truth values and regular expressions are equal to values of other types") {
  const Value half = Value::of(ir::ElementType::Float16);
  CHECK(equal(half, Value::of(ir::ElementType::Float16)) == True);
  CHECK(equal(of("float16"), half) == True);
  CHECK(equal(half, of(10)) == True);  // `to` of a Cast
  CHECK(equal(half, of(10.0)) == Unknown);
  CHECK(equal(Value::of(true), of(1)) == True);
  CHECK(equal(Value::of(true), of("true")) == Unknown);
  const re2::RE2 layer("layer\\.[0-9]+$");
  CHECK(equal(of("encoder.layer.3"), Value::of(layer)) == True);
  CHECK(equal(Value::of(layer), of("encoder")) == False);
  CHECK(equal(Value::of(layer), of(3)) == Unknown);
  CHECK(equal(of("3"), of(3)) == Unknown);
}

TEST_CASE("integers are conditions, other values are not") {
  CHECK(truth(of(2)) == True);
  CHECK(truth(of(0)) == False);
  CHECK(truth(of(1.0)) == Unknown);
  CHECK(truth(of("yes")) == Unknown);
  CHECK(truth(kUnknownValue) == Unknown);
}

TEST_CASE("a quotient is exact, and an integer if possible") {
  CHECK(arithmetic(Kind::Div, of(6), of(2)).type == Value::Type::Int);
  CHECK(arithmetic(Kind::Div, of(6), of(2)).integer == 3);
  CHECK(arithmetic(Kind::Div, of(7), of(2)).type == Value::Type::Float);
  CHECK(arithmetic(Kind::Div, of(7), of(2)).real == 3.5);
  CHECK(arithmetic(Kind::Div, of(-7), of(2)).real == -3.5);
  CHECK(arithmetic(Kind::Div, of(7), of(0)).isUnknown());
  CHECK(arithmetic(Kind::Div, of(7.0), of(0.0)).isUnknown());
}

TEST_CASE("a remainder has the sign of the dividend") {
  CHECK(arithmetic(Kind::Mod, of(7), of(2)).integer == 1);
  CHECK(arithmetic(Kind::Mod, of(-7), of(2)).integer == -1);
  CHECK(arithmetic(Kind::Mod, of(7), of(-2)).integer == 1);
  CHECK(arithmetic(Kind::Mod, of(7.5), of(2)).real == 1.5);
  CHECK(arithmetic(Kind::Mod, of(7), of(0)).isUnknown());
}

TEST_CASE("integers beyond 64 bits are unknown, not wrapped") {
  CHECK(arithmetic(Kind::Mul, of(kMax), of(2)).isUnknown());
  CHECK(arithmetic(Kind::Add, of(kMax), of(1)).isUnknown());
  CHECK(arithmetic(Kind::Sub, of(kMin), of(1)).isUnknown());
  CHECK(arithmetic(Kind::Div, of(kMin), of(-1)).isUnknown());
  CHECK(arithmetic(Kind::Mod, of(kMin), of(-1)).integer == 0);
  CHECK(negated(of(kMin)).isUnknown());
  CHECK(negated(of(5)).integer == -5);
  CHECK(negated(of(0.5)).real == -0.5);
  CHECK(arithmetic(Kind::Add, of("a"), of("b")).isUnknown());
}

}  // namespace amdahlc::expression
