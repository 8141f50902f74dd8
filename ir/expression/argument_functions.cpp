// Functions over the arguments of a call: each with its row at the end of the file.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ir/expression/functions.h"
#include "support/limits.h"

namespace amdahlc::expression {
namespace {

using Arguments = std::span<const Value>;

/// Of an argument that is a tensor, by its place among the parameters.
std::optional<int64_t> rankOf(const Leaves& leaves, const Value& tensor) {
  if (leaves.call == nullptr || tensor.type != Value::Type::GraphValue) return std::nullopt;
  const size_t slot = tensor.graphValue.index();
  if (slot >= leaves.call->ranks.size() || !leaves.call->ranks[slot]) return std::nullopt;
  return static_cast<int64_t>(*leaves.call->ranks[slot]);
}

/// An axis counted from the first one; nullopt if the tensor does not have it.
std::optional<int64_t> axis(const Value& axis, int64_t rank) {
  if (axis.type != Value::Type::Int || axis.integer < -rank || axis.integer >= rank) return std::nullopt;
  return axis.integer < 0 ? axis.integer + rank : axis.integer;
}

Value argument(const Leaves& leaves, Arguments arguments) {
  if (leaves.call == nullptr || arguments[0].type != Value::Type::String) return Value::unknown();
  const auto& names = leaves.call->names;
  const auto found = std::ranges::find(names, arguments[0].text);
  return found == names.end() ? Value::unknown() : leaves.call->named[static_cast<size_t>(found - names.begin())];
}

Value axes(const Leaves& leaves, Arguments arguments) {
  const auto rank = rankOf(leaves, arguments[0]);
  if (!rank || arguments[1].type != Value::Type::List) return Value::unknown();
  std::vector<Value> items;
  for (const Value& item : arguments[1].items) {
    const auto found = axis(item, *rank);
    if (!found) return Value::unknown();
    items.push_back(Value::of(*found));
  }
  return Value::list(std::move(items));
}

Value given(const Leaves& leaves, Arguments arguments) {
  if (leaves.call == nullptr) return Value::unknown();
  const bool isEmpty = arguments[0].type == Value::Type::List && arguments[0].items.empty();
  return arguments[0].isUnknown() || isEmpty ? arguments[1] : arguments[0];
}

Value repeat(const Leaves&, Arguments arguments) {
  const Value &list = arguments[0], &times = arguments[1];
  if (list.type != Value::Type::List || times.type != Value::Type::Int || times.integer < 0) return Value::unknown();
  if (!list.items.empty() && times.integer > limits::kKeptElements / static_cast<int64_t>(list.items.size()))
    return Value::unknown();
  std::vector<Value> items;
  for (int64_t i = 0; i < times.integer; ++i) items.insert(items.end(), list.items.begin(), list.items.end());
  return Value::list(std::move(items));
}

Value size(const Leaves&, Arguments arguments) {
  if (arguments[0].type != Value::Type::List) return Value::unknown();
  return Value::of(static_cast<int64_t>(arguments[0].items.size()));
}

Value swapped(const Leaves& leaves, Arguments arguments) {
  const auto rank = rankOf(leaves, arguments[0]);
  if (!rank) return Value::unknown();
  const auto a = axis(arguments[1], *rank), b = axis(arguments[2], *rank);
  if (!a || !b) return Value::unknown();
  std::vector<Value> items;
  for (int64_t i = 0; i < *rank; ++i) items.push_back(Value::of(i == *a ? *b : i == *b ? *a : i));
  return Value::list(std::move(items));
}

constexpr Parameter kArgumentName[] = {{"name", Type::String}};
constexpr Parameter kAxes[] = {{"v", Type::GraphValue}, {"list", Type::List}};
constexpr Parameter kGiven[] = {{"a"}, {"b"}};
constexpr Parameter kRepeat[] = {{"list", Type::List}, {"n", Type::Number}};
constexpr Parameter kSize[] = {{"list", Type::List}};
constexpr Parameter kSwapped[] = {{"v", Type::GraphValue}, {"i", Type::Number}, {"j", Type::Number}};

constexpr Context kArgument[] = {Context::Argument};
constexpr auto kCallForm = Function::Form::Call;

constexpr Function kArgumentFunctions[] = {
    {"argument", kCallForm, kArgumentName, Type::Any, kArgument,
     "the argument that the declaration of the operator names so, where an execution trace states it", argument},
    {"axes", kCallForm, kAxes, Type::List, kArgument,
     "the axes of `v` in `list`, negative ones counted from the first axis", axes},
    {"given", kCallForm, kGiven, Type::Any, kArgument, "`a`, but `b` where `a` is nothing or an empty list", given},
    {"repeat", kCallForm, kRepeat, Type::List, kArgument, "`list` `n` times in a row", repeat},
    {"size", kCallForm, kSize, Type::Number, kArgument, "number of elements of `list`", size},
    {"swapped", kCallForm, kSwapped, Type::List, kArgument,
     "all axes of `v` in order, with `i` and `j` in each other's place", swapped},
};

}  // namespace

std::span<const Function> argumentFunctions() { return kArgumentFunctions; }

}  // namespace amdahlc::expression
