#include "ir/shape_arithmetic.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace amdahlc;
using namespace amdahlc::ir;

namespace {

constexpr int64_t kUnknown = -999;

/// -999 stands for an unknown element.
HostElements elements(std::initializer_list<int64_t> numbers) {
  HostElements result;
  for (const int64_t number : numbers)
    result.push_back(number == kUnknown ? HostElement() : HostElement(static_cast<HostNumber>(number)));
  return result;
}

struct Call {
  std::string_view type;
  std::vector<HostElements> operands;
  std::optional<int64_t> count = std::nullopt;
  std::vector<Attribute> attributes = {};
  ElementType element = ElementType::Int64;

  std::optional<HostElements> run() const {
    ShapeOperation operation;
    for (const HostElements& operand : operands) operation.operands.push_back(&operand);
    operation.count = count;
    operation.resultType = element;
    operation.attribute = [this](std::string_view name) -> std::optional<AttributeValue> {
      for (const Attribute& attribute : attributes)
        if (attribute.name == name) return attribute.value;
      return std::nullopt;
    };
    return evaluateShape(*shapeOperator(type), operation);
  }

  /// Empty where nothing is known.
  std::vector<int64_t> integers() const {
    std::vector<int64_t> result;
    const auto known = run();
    if (!known) return result;
    for (const HostElement& element : *known)
      result.push_back(element ? asInteger(*element).value_or(kUnknown) : kUnknown);
    return result;
  }
};

using Integers = std::vector<int64_t>;

}  // namespace

TEST_CASE("integer division truncates and is exact, and Mod has the sign that fmod asks for") {
  CHECK(Call{"Div", {elements({7, -7}), elements({2})}}.integers() == Integers{3, -3});
  CHECK(Call{"Div", {elements({INT64_MAX}), elements({INT64_MAX - 1})}}.integers() == Integers{1});
  CHECK(Call{"Div", {elements({INT64_MAX - 1}), elements({INT64_MAX})}}.integers() == Integers{0});
  CHECK(Call{"Div", {elements({1}), elements({0})}}.integers() == Integers{kUnknown});
  CHECK(Call{"Mod", {elements({-7, 7}), elements({3, -3})}}.integers() == Integers{2, -2});
  CHECK(Call{"Mod", {elements({-7, 7}), elements({3, -3})}, {}, {{"fmod", int64_t{1}}}}.integers() == Integers{-1, 1});
}

TEST_CASE("the length of a result follows from its type or from its operands") {
  CHECK(Call{"Add", {elements({1, 2}), elements({10})}}.integers() == Integers{11, 12});
  CHECK(Call{"Add", {elements({1, 2}), elements({10, 20, 30})}}.integers().empty());
  CHECK(Call{"Add", {elements({1, 2}), elements({10})}, 3}.integers().empty());
  CHECK(Call{"Expand", {elements({5})}, 3}.integers() == Integers{5, 5, 5});
  CHECK(Call{"Expand", {elements({5})}}.integers().empty());
  CHECK(Call{"Concat", {elements({}), elements({1})}}.integers() == Integers{1});
  const Attribute seven{"value", TensorConstant{Type::tensor(ElementType::Int64, {Dim::of(1)}), {{7}}, std::nullopt}};
  CHECK(Call{"ConstantOfShape", {elements({2})}, {}, {seven}}.integers() == Integers{7, 7});
  CHECK(Call{"ConstantOfShape", {elements({-1})}, {}, {seven}}.integers().empty());
  CHECK(Call{"ConstantOfShape", {elements({kMaxHostElements + 1})}, {}, {seven}}.integers().empty());
}

TEST_CASE("operators that select elements pass symbols on; arithmetic does not") {
  HostElements shape = elements({4, 64});
  shape[0] = HostElement::symbol(9);
  const auto chosen = Call{"Where", {elements({1, 0}), shape, elements({1, 1})}}.run();
  REQUIRE(chosen.has_value());
  CHECK((*chosen)[0].symbol() == 9);
  CHECK(*(*chosen)[1] == 1);
  const auto sum = Call{"Add", {shape, elements({1})}}.run();
  REQUIRE(sum.has_value());
  CHECK(!(*sum)[0]);
  CHECK(!(*sum)[0].symbol());
}

TEST_CASE("an integer that its type does not hold is unknown") {
  CHECK(Call{"Add", {elements({INT64_MAX}), elements({1})}}.integers() == Integers{kUnknown});
  CHECK(Call{"Mul", {elements({90000}), elements({90000})}, {}, {}, ElementType::Int32}.integers() ==
        Integers{kUnknown});
  CHECK(Call{"Sub", {elements({100, 200}), elements({200, 100})}, {}, {}, ElementType::UInt8}.integers() ==
        Integers{kUnknown, 100});
  CHECK(Call{"Cast", {elements({255, 256, -1})}, {}, {}, ElementType::UInt8}.integers() ==
        Integers{255, kUnknown, kUnknown});
  CHECK(Call{"Cast", {elements({5, 0})}, {}, {}, ElementType::Bool}.integers() == Integers{1, 0});
  CHECK(Call{"ReduceProd", {elements({INT64_MAX, 4, 0})}, 1}.integers() == Integers{kUnknown});
}

TEST_CASE("floating-point results are rounded to their type") {
  const HostElements size = elements({10}), scale = {HostElement(HostNumber(0.7F))};
  const auto product = [&](ElementType type) { return Call{"Mul", {size, scale}, {}, {}, type}.run().value().front(); };
  CHECK(*product(ElementType::Float) == 7);
  CHECK(*product(ElementType::Double) == HostNumber(10 * static_cast<double>(0.7F)));
  CHECK(!product(ElementType::Float16));
  CHECK(Call{"Mul", {elements({90000}), elements({90000})}, {}, {}, ElementType::Float16}.integers() ==
        Integers{kUnknown});
  CHECK(Call{"Cast", {elements({2048, 2049, 65504, 65536})}, {}, {}, ElementType::Float16}.integers() ==
        Integers{2048, kUnknown, 65504, kUnknown});
}

TEST_CASE("numbers beyond 64 bits are not integers") {
  CHECK(!asInteger(HostNumber(0.5)));
  CHECK(asInteger(static_cast<HostNumber>(INT64_MIN)) == INT64_MIN);
}
