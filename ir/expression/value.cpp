#include "ir/expression/value.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amdahlc::expression {

using Kind = ir::Expr::Kind;

Truth negation(Truth value) { return value == Truth::Unknown ? value : truthOf(value == Truth::False); }

Truth conjunction(Truth a, Truth b) {
  if (a == Truth::False || b == Truth::False) return Truth::False;
  return a == Truth::Unknown ? a : b;
}

Truth disjunction(Truth a, Truth b) { return negation(conjunction(negation(a), negation(b))); }

Truth truth(const Value& value) {
  if (value.type == Value::Type::Bool || value.type == Value::Type::Int) return truthOf(value.integer != 0);
  return Truth::Unknown;
}

namespace {

/// Whether two numbers are equal as float32. An infinity is equal only to itself.
bool nearlyEqual(double a, double b) {
  if (a == b) return true;
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <= std::numeric_limits<float>::epsilon() * std::max(std::abs(a), std::abs(b));
}

Truth equalLists(const Value& a, const Value& b) {
  if (a.items.size() != b.items.size()) return Truth::False;
  Truth result = Truth::True;
  for (size_t i = 0; i < a.items.size() && result != Truth::False; ++i)
    result = conjunction(result, equal(a.items[i], b.items[i]));
  return result;
}

Truth equalElementType(const Value& element, const Value& other) {
  if (other.type == Value::Type::ElementType || other.type == Value::Type::Int)
    return truthOf(element.integer == other.integer);
  if (other.type == Value::Type::String)
    return truthOf(ir::name(static_cast<ir::ElementType>(element.integer)) == other.text);
  return Truth::Unknown;
}

/// The operands fit 64 bits, and so does any result 128.
Value integerArithmetic(Kind kind, __int128 a, __int128 b) {
  if ((kind == Kind::Div || kind == Kind::Mod) && b == 0) return Value::unknown();
  if (kind == Kind::Div && a % b != 0) return Value::of(static_cast<double>(a) / static_cast<double>(b));
  const __int128 result = kind == Kind::Add   ? a + b
                          : kind == Kind::Sub ? a - b
                          : kind == Kind::Mul ? a * b
                          : kind == Kind::Div ? a / b
                                              : a % b;
  const auto fitting = static_cast<int64_t>(result);
  return fitting == result ? Value::of(fitting) : Value::unknown();
}

}  // namespace

Truth equal(const Value& a, const Value& b) {
  if (a.isUnknown() || b.isUnknown()) return Truth::Unknown;
  if (a.type == Value::Type::Int && b.type == Value::Type::Int) return truthOf(a.integer == b.integer);
  if (a.isNumber() && b.isNumber()) return truthOf(nearlyEqual(a.number(), b.number()));
  if (a.type == Value::Type::List && b.type == Value::Type::List) return equalLists(a, b);
  if (a.type == Value::Type::String && b.type == Value::Type::String) return truthOf(a.text == b.text);
  if (a.type == Value::Type::Symbol && b.type == Value::Type::Symbol)
    return a.text == b.text ? Truth::True : Truth::Unknown;
  if (a.type == Value::Type::String && b.type == Value::Type::Regex)
    return truthOf(re2::RE2::PartialMatch({a.text.data(), a.text.size()}, *b.regex));
  if (a.type == Value::Type::Regex && b.type == Value::Type::String) return equal(b, a);
  if (a.type == Value::Type::ElementType) return equalElementType(a, b);
  if (b.type == Value::Type::ElementType) return equalElementType(b, a);
  const Truth left = truth(a), right = truth(b);
  return left == Truth::Unknown || right == Truth::Unknown ? Truth::Unknown : truthOf(left == right);
}

Truth compare(Kind kind, const Value& a, const Value& b) {
  if (!a.isNumber() || !b.isNumber()) return Truth::Unknown;
  if (std::isnan(a.number()) || std::isnan(b.number())) return Truth::False;
  const bool same = equal(a, b) == Truth::True;
  const bool integers = a.type == Value::Type::Int && b.type == Value::Type::Int;
  const bool less = !same && (integers ? a.integer < b.integer : a.number() < b.number());
  // `>` is the negation of `<=`, and `>=` that of `<`.
  const bool isNegated = kind == Kind::Gt || kind == Kind::Ge, hasEqual = kind == Kind::Le || kind == Kind::Gt;
  return truthOf((less || (hasEqual && same)) != isNegated);
}

Value arithmetic(Kind kind, const Value& a, const Value& b) {
  if (!a.isNumber() || !b.isNumber()) return Value::unknown();
  if (a.type == Value::Type::Int && b.type == Value::Type::Int) return integerArithmetic(kind, a.integer, b.integer);
  const double x = a.number(), y = b.number();
  switch (kind) {
    case Kind::Add:
      return Value::of(x + y);
    case Kind::Sub:
      return Value::of(x - y);
    case Kind::Mul:
      return Value::of(x * y);
    case Kind::Div:
      return y == 0 ? Value::unknown() : Value::of(x / y);
    default:
      return y == 0 ? Value::unknown() : Value::of(std::fmod(x, y));
  }
}

Value negated(const Value& a) {
  if (a.type == Value::Type::Float) return Value::of(-a.real);
  return arithmetic(Kind::Sub, Value::of(int64_t{0}), a);
}

}  // namespace amdahlc::expression
