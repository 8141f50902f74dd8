#include "ir/program_import/promotion.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace amdahlc::ir {
namespace {

using Rank = PromotedOperand::Rank;

/// In ascending order.
enum class Category : uint8_t { Nothing, Truth, Integer, Real, Complex };

/// What some of the operands are together. Undefined: a type of this category that is not known.
struct Kind {
  Category category = Category::Nothing;
  ElementType element = ElementType::Undefined;
};

/// Nothing for types without a promotion.
Kind kindOf(ElementType element) {
  if (element == ElementType::Bool) return {Category::Truth, element};
  if (isInteger(element)) return {Category::Integer, element};
  if (isFloatingPoint(element)) return {Category::Real, element};
  if (element == ElementType::Complex64 || element == ElementType::Complex128) return {Category::Complex, element};
  return {};
}

/// Of two operands that count equally.
Kind together(Kind a, Kind b) {
  if (a.category < b.category) std::swap(a, b);
  if (b.category == Category::Nothing || a.element == b.element) return a;
  const Kind unknown{a.category, ElementType::Undefined};
  if (a.element == ElementType::Undefined || b.element == ElementType::Undefined) return unknown;
  if (a.category == Category::Complex && b.category >= Category::Real)
    return {a.category, b.element == ElementType::Double || b.element == ElementType::Complex128
                            ? ElementType::Complex128
                            : a.element};
  if (a.category != b.category) return a;
  const uint32_t bits = bitWidth(a.element);
  if (a.category == Category::Real)
    return bits == bitWidth(b.element) ? Kind{a.category, ElementType::Float} : bits > bitWidth(b.element) ? a : b;
  if (isSignedInteger(a.element) && isSignedInteger(b.element)) return bits > bitWidth(b.element) ? a : b;
  // Of unsigned integers only those of 8 bits have a promotion.
  if (isSignedInteger(a.element)) std::swap(a, b);
  if (a.element != ElementType::UInt8 || !isSignedInteger(b.element)) return unknown;
  return b.element == ElementType::Int8 ? Kind{a.category, ElementType::Int16} : b;
}

/// Of operands of which the first ones count more.
Kind first(Kind more, Kind less) {
  if (less.category <= more.category) return more;
  if (more.category < Category::Real) return together(more, less);
  // Reals with complex numbers.
  const ElementType element = more.element == ElementType::Float    ? ElementType::Complex64
                              : more.element == ElementType::Double ? ElementType::Complex128
                                                                    : ElementType::Undefined;
  return {Category::Complex, element};
}

ElementType promotedAsRanked(std::span<const PromotedOperand> operands) {
  Kind numbers, scalars, others;
  for (const PromotedOperand& operand : operands) {
    Kind kind = kindOf(operand.element);
    if (operand.rank == Rank::Number && kind.category >= Category::Real) kind.element = ElementType::Undefined;
    Kind& into = operand.rank == Rank::Number ? numbers : operand.rank == Rank::Scalar ? scalars : others;
    into = together(into, kind);
  }
  return first(others, first(scalars, numbers)).element;
}

}  // namespace

ElementType promoted(std::span<const PromotedOperand> operands) {
  const auto is = [&](auto&& what) { return std::ranges::any_of(operands, what); };
  if (operands.empty() || is([](auto& one) { return kindOf(one.element).category == Category::Nothing; }))
    return ElementType::Undefined;
  if (is([&](auto& one) { return one.rank == Rank::Unknown && one.element != operands.front().element; }))
    return ElementType::Undefined;
  // Each tensor without dimensions that may be a number is taken as either.
  std::vector<PromotedOperand> ranked(operands.begin(), operands.end());
  std::vector<size_t> either;
  for (size_t i = 0; i < ranked.size(); ++i)
    if (ranked[i].rank == Rank::Scalar &&
        (ranked[i].element == ElementType::Double || ranked[i].element == ElementType::Int64))
      either.push_back(i);
  constexpr size_t kMost = 4;
  if (either.size() > kMost) return ElementType::Undefined;
  const ElementType found = promotedAsRanked(ranked);
  for (size_t numbers = 1; numbers < size_t{1} << either.size(); ++numbers) {
    for (size_t i = 0; i < either.size(); ++i)
      ranked[either[i]].rank = (numbers >> i & 1) != 0 ? Rank::Number : Rank::Scalar;
    if (promotedAsRanked(ranked) != found) return ElementType::Undefined;
  }
  return found;
}

}  // namespace amdahlc::ir
