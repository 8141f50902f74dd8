/// The one table of functions and names of the rule language: signature, where each is allowed, documentation,
/// implementation.
///
/// The checker, its suggestions, the evaluator and the language's page read it. To add a function over a match, write
/// its implementation and its row in graph_functions.cpp; over the arguments of a call, in argument_functions.cpp; to
/// add a launch fact, in launch_facts.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expression/leaves.h"
#include "ir/expression/value.h"

namespace amdahlc::expression {

/// The place of an expression in a rule.
enum class Context : uint8_t {
  /// `where rank(x) == 4`
  Where,
  /// `Softmax(x) { axis == -1 }`
  Attribute,
  /// `const(it > 0)`
  Constant,
  /// `runs as /gemm/ and grid.x > 1`
  Kernel,
  /// `lower "lib::softmax"(x, dim) -> Softmax(x) { axis = dim }`
  Argument,
};
inline constexpr std::array kContexts{Context::Where, Context::Attribute, Context::Constant, Context::Kernel,
                                      Context::Argument};
/// With an article: "a condition of `where`", "an attribute test", "a test of a constant", "a kernel test", "the value
/// of an attribute".
std::string_view describe(Context context);

/// The static type of an expression.
enum class Type : uint8_t {
  /// Known only at evaluation, like an attribute.
  Any,
  Condition,
  Number,
  String,
  ElementType,
  List,
  /// A value of the pattern.
  GraphValue,
  Regex,
};
/// With an article: "a condition", "a number".
std::string_view describe(Type type);

/// Computes a function or a name over leaves. The number of arguments fits the signature; they are of any type.
using Implementation = Value (*)(const Leaves& leaves, std::span<const Value> arguments);

struct Parameter {
  std::string_view name;
  Type type = Type::Any;
  bool optional = false;
};

/// One row: a function, called with parentheses, or a name without arguments.
struct Function {
  enum class Form : uint8_t { Call, Name };
  std::string_view name;
  Form form = Form::Call;
  std::span<const Parameter> parameters;
  Type result = Type::Any;
  std::span<const Context> contexts;
  /// One line for the language's page, without a final period.
  std::string_view documentation;
  Implementation implementation = nullptr;
  /// The possible strings of the result; empty for any.
  std::span<const std::string_view> strings = {};

  bool allows(Context context) const;
  size_t requiredArguments() const;
  /// `dim(v, i)`, `opset([domain])`, `grid.x`.
  std::string signature() const;
};

/// The parts of the table, one for each kind of leaves.
std::span<const Function> graphFunctions();
std::span<const Function> argumentFunctions();
std::span<const Function> launchFacts();
/// All rows, sorted by form and name.
const std::vector<Function>& functions();
/// The function of this name in any context; nullptr if there is none.
const Function* findFunction(std::string_view name);
/// The name in a context that allows it; nullptr if there is none.
const Function* findName(std::string_view name, Context context);
/// Names of the rows of a form that a context allows, sorted.
std::vector<std::string> functionNames(Function::Form form, Context context);

/// The tables of the language's page, in Markdown.
std::string functionDocumentation();

}  // namespace amdahlc::expression
