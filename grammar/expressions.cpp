#include "grammar/expressions.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "grammar/wrong_spellings.h"
#include "ir/type.h"
#include "support/edit_distance.h"
#include "support/plural.h"

namespace amdahlc::grammar {
namespace {

using Kind = ir::Expr::Kind;
using expression::Function;

/// Words joined by `|`, perhaps each after `^`. Most regular expressions of rules are. They have no error, and not all
/// names have one of the words. To compile one costs more than all else that is checked in its rule.
bool isListOfWords(std::string_view regex) {
  bool inWord = false;
  for (const char c : regex) {
    const bool joins = c == '|' || c == '^';
    if (joins ? inWord == (c == '^') : c != '_' && c != ':' && std::isalnum(static_cast<unsigned char>(c)) == 0)
      return false;
    inWord = !joins;
  }
  return inWord;
}

/// A regular expression that matches all of them is taken to match every name.
constexpr std::array<std::string_view, 3> kNames{"", "x", "void at::native::k<float, 4>(int)"};

}  // namespace

void fixName(DiagnosticEngine::InFlight& report, SourceRange range, std::string_view name,
             std::span<const std::string> known) {
  const auto nearest = closestName(name, known);
  const auto isPlain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (nearest && range.end - range.begin == name.size() && std::ranges::all_of(*nearest, isPlain))
    report.fix(range, *nearest);
}

DiagnosticEngine::InFlight unknownName(DiagnosticEngine& diagnostics, SourceRange range, std::string message,
                                       std::string_view name, std::span<const std::string> known) {
  auto report = diagnostics.error(DiagId::AkpUnknownName, range, std::move(message) + didYouMean(name, known));
  fixName(report, range, name, known);
  return report;
}

const re2::RE2& Regexes::compiled(const std::string& text) {
  std::shared_ptr<re2::RE2>& entry = compiled_[text];
  if (!entry) entry = std::make_shared<re2::RE2>(text, re2::RE2::Quiet);
  return *entry;
}

bool Regexes::matchesEveryName(const std::string& text, bool whole) {
  if (isListOfWords(text)) return false;
  const re2::RE2& regex = compiled(text);
  return std::ranges::all_of(kNames, [&](std::string_view name) {
    return whole ? re2::RE2::FullMatch(name, regex) : re2::RE2::PartialMatch(name, regex);
  });
}

std::nullopt_t ExpressionChecker::fail(const ir::Expr& expr, std::string message) {
  // A list is a comparison for each of its elements, of which each fails in the same way.
  const auto failure = std::tuple(expr.range.buffer, expr.range.begin, message);
  if (failure != lastFailure_) diagnostics_.error(DiagId::AkpExpression, expr.range, std::move(message));
  lastFailure_ = failure;
  return std::nullopt;
}

bool ExpressionChecker::regex(const std::string& text, SourceRange range) {
  if (isListOfWords(text)) return true;
  const re2::RE2& compiled = regexes_.compiled(text);
  if (compiled.ok()) return true;
  // The caret points to the part that RE2 reports, inside the slashes.
  SourceRange at = range;
  const std::string_view written = sources_.text(range.buffer).substr(range.begin, range.end - range.begin);
  const std::string& part = compiled.error_arg();
  if (const size_t found = part.empty() ? std::string_view::npos : written.find(part);
      found != std::string_view::npos) {
    at.begin = range.begin + static_cast<uint32_t>(found);
    at.end = at.begin + static_cast<uint32_t>(part.size());
  }
  const bool lookAround = part.starts_with("(?=") || part.starts_with("(?!") || part.starts_with("(?<") ||
                          written.find("(?!") != std::string_view::npos;
  std::string reason = compiled.error();
  if (const size_t colon = reason.find(": "); colon != std::string::npos) reason.resize(colon);
  diagnostics_.error(DiagId::AkpRegex, at,
                     fmt::format("regular expression: {}{}", reason,
                                 lookAround ? "; RE2 has no look-ahead, write `/a/ and not /b/`" : ""));
  return false;
}

bool ExpressionChecker::test(ir::Expr& expr, Context context, const ValueNames* values) {
  context_ = context;
  values_ = values;
  const Checked type = check(expr);
  if (!type) return false;
  if (*type == Type::Any && context == Context::Attribute && expr.kind == Kind::Name) {
    fail(expr, fmt::format("`{}` alone is not a test; compare it, as in `{} == 1`", expr.text, expr.text));
    return false;
  }
  return isCondition(expr, *type);
}

bool ExpressionChecker::attributeValue(ir::Expr& expr, const ValueNames& arguments) {
  context_ = Context::Argument;
  values_ = &arguments;
  const Checked type = check(expr);
  if (!type) return false;
  if (*type == Type::GraphValue) fail(expr, fmt::format("`{}` is a tensor, and no value of an attribute", expr.text));
  if (*type == Type::Regex) fail(expr, "an attribute has no regular expressions");
  return *type != Type::GraphValue && *type != Type::Regex;
}

bool ExpressionChecker::isCondition(const ir::Expr& expr, Type type) {
  if (type == Type::Condition || type == Type::Any) return true;
  if (type == Type::Regex) {
    if (context_ == Context::Kernel) return true;
    fail(expr,
         "a regular expression alone tests a kernel's name, in `runs as`; here it needs a string, as in "
         "`scope(v) == /encoder/`");
    return false;
  }
  fail(expr, fmt::format("expected a condition, found {}", expression::describe(type)));
  return false;
}

ExpressionChecker::Checked ExpressionChecker::checkName(ir::Expr& expr, Type wanted) {
  if (const Function* row = expression::findName(expr.text, context_)) {
    // `it` is the constant as a value argument of a function, and its elements elsewhere.
    return context_ == Context::Constant && wanted == Type::GraphValue ? wanted : row->result;
  }
  std::vector<std::string> names = expression::functionNames(Function::Form::Name, context_);
  if (context_ == Context::Kernel) {
    unknownName(diagnostics_, expr.range, fmt::format("unknown launch fact `{}`", expr.text), expr.text, names)
        .note(fmt::format("launch facts are {}", fmt::join(names, ", ")));
    return std::nullopt;
  }
  if (values_ != nullptr) {
    if (std::ranges::find(values_->candidates, expr.text) != values_->candidates.end()) {
      const auto resolved = values_->resolve(expr);
      if (!resolved) return std::nullopt;
      expr.text = *resolved;
      if (context_ != Context::Argument) return Type::GraphValue;
      const bool isTensor = values_->isTensor(expr.text);
      if (wanted == Type::GraphValue && !isTensor)
        return fail(expr, fmt::format("`{}` is an operand of no operator; only operands are tensors", expr.text));
      return isTensor ? Type::GraphValue : Type::Any;
    }
    names.insert(names.end(), values_->candidates.begin(), values_->candidates.end());
  }
  if (context_ == Context::Argument) {
    unknownName(diagnostics_, expr.range, fmt::format("unknown argument `{}`", expr.text), expr.text, names);
    return std::nullopt;
  }
  if (const auto element = ir::elementTypeFromName(expr.text)) {
    expr.text = ir::name(*element);
    return Type::ElementType;
  }
  // An attribute may be named `half`, but hardly `fp16`.
  const bool mayBeAttribute =
      context_ == Context::Attribute && expr.text.find_first_of("0123456789") == std::string::npos;
  if (const std::string_view meant = elementTypeMeantBy(expr.text); !meant.empty() && !mayBeAttribute) {
    diagnostics_
        .error(DiagId::AkpUnknownName, expr.range,
               fmt::format("unknown element type `{}`; write `{}`", expr.text, meant))
        .fix(expr.range, std::string(meant));
    return std::nullopt;
  }
  if (context_ == Context::Attribute) return Type::Any;
  if (context_ == Context::Constant)
    return fail(expr, fmt::format("unknown name `{}`; the constant is called `it` here", expr.text));
  names.insert(names.end(), ir::elementTypeNames().begin(), ir::elementTypeNames().end());
  unknownName(diagnostics_, expr.range, fmt::format("unknown name `{}`", expr.text), expr.text, names);
  return std::nullopt;
}

ExpressionChecker::Checked ExpressionChecker::checkList(ir::Expr& expr) {
  for (ir::Expr& arg : expr.args) {
    if (!check(arg)) return std::nullopt;
    if (arg.kind != Kind::Int && arg.kind != Kind::Float && arg.kind != Kind::String)
      return fail(arg, "a list consists of numbers or strings");
  }
  return Type::List;
}

ExpressionChecker::Checked ExpressionChecker::checkCall(ir::Expr& expr) {
  if (expr.text == ir::kListConstructor) return checkList(expr);
  const Function* function = expression::findFunction(expr.text);
  if (function == nullptr) {
    const std::vector<std::string> names = expression::functionNames(Function::Form::Call, context_);
    auto report = diagnostics_.error(DiagId::AkpUnknownName, expr.range,
                                     fmt::format("unknown function `{}`{}", expr.text, didYouMean(expr.text, names)));
    const auto length = static_cast<uint32_t>(expr.text.size());
    fixName(report, {expr.range.buffer, expr.range.begin, expr.range.begin + length}, expr.text, names);
    return std::nullopt;
  }
  if (!function->allows(context_)) {
    std::vector<std::string_view> allowed;
    for (const Context other : function->contexts) allowed.push_back(expression::describe(other));
    return fail(expr, fmt::format("`{}` is not allowed in {}; it belongs in {}", expr.text,
                                  expression::describe(context_), fmt::join(allowed, " or ")));
  }
  const size_t most = function->parameters.size();
  if (expr.args.size() < function->requiredArguments() || expr.args.size() > most)
    return fail(expr, fmt::format("`{}` takes {}, {} given", expr.text, plural(most, "argument"), expr.args.size()));
  bool good = true;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    const Type wanted = function->parameters[i].type;
    const Checked type = check(expr.args[i], wanted);
    if (type && *type != Type::Any && *type != wanted)
      fail(expr.args[i], fmt::format("`{}` takes {} here, found {}", expr.text, expression::describe(wanted),
                                     expression::describe(*type)));
    good = good && type && (*type == wanted || *type == Type::Any);
  }
  if (!good) return std::nullopt;
  return function->result;
}

std::nullopt_t ExpressionChecker::failQuotedElementType(const ir::Expr& literal) {
  const auto known = ir::elementTypeFromName(literal.text);
  const std::string meant(known ? ir::name(*known) : elementTypeMeantBy(literal.text));
  auto report = diagnostics_.error(DiagId::AkpExpression, literal.range,
                                   fmt::format("compared with an element type, found a string{}",
                                               meant.empty() ? didYouMean(literal.text, ir::elementTypeNames())
                                                             : fmt::format("; write `{}` without quotes", meant)));
  if (!meant.empty()) report.fix(literal.range, meant);
  return std::nullopt;
}

ExpressionChecker::Checked ExpressionChecker::checkComparison(ir::Expr& expr) {
  std::vector<Type> types;
  for (ir::Expr& arg : expr.args)
    if (const Checked type = check(arg)) types.push_back(*type);
  if (types.size() != expr.args.size()) return std::nullopt;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] == Type::GraphValue)
      return fail(expr.args[i],
                  fmt::format("`{0}` is a whole value; test something of it: `value({0})`, `rank({0})`, `type({0})`",
                              expr.args[i].text));
  const auto comparable = [](Type a, Type b) {
    if (a == Type::Any || b == Type::Any) return true;
    if (a == Type::Regex || b == Type::Regex) return a == Type::String || b == Type::String;
    return a == b;
  };
  for (size_t i = 1; i < types.size(); ++i)
    if (!comparable(types[0], types[i])) {
      if (types[0] == Type::ElementType && expr.args[i].kind == Kind::String)
        return failQuotedElementType(expr.args[i]);
      return fail(expr.args[i], fmt::format("compared with {}, found {}", expression::describe(types[0]),
                                            expression::describe(types[i])));
    }
  const bool ordered = expr.kind == Kind::Lt || expr.kind == Kind::Le || expr.kind == Kind::Gt || expr.kind == Kind::Ge;
  if (ordered)
    for (const Type type : types)
      if (type != Type::Number && type != Type::Any)
        return fail(expr, fmt::format("{} has no order", expression::describe(type)));
  if (!checkStrings(expr)) return std::nullopt;
  return Type::Condition;
}

bool ExpressionChecker::checkStrings(const ir::Expr& comparison) {
  for (const ir::Expr& tested : comparison.args) {
    const Function* row = tested.kind == Kind::Name ? expression::findName(tested.text, context_) : nullptr;
    if (row == nullptr || row->strings.empty()) continue;
    const std::vector<std::string> names(row->strings.begin(), row->strings.end());
    for (const ir::Expr& literal : comparison.args) {
      if (literal.kind != Kind::String || std::ranges::find(names, literal.text) != names.end()) continue;
      diagnostics_
          .error(DiagId::AkpUnknownName, literal.range,
                 fmt::format("unknown {} `{}`{}", row->name, literal.text, didYouMean(literal.text, names)))
          .note(fmt::format("`{}` is one of {}", row->name, fmt::join(names, ", ")));
      return false;
    }
  }
  return true;
}

bool ExpressionChecker::checkOperands(ir::Expr& expr, Type wanted) {
  bool good = true;
  for (ir::Expr& arg : expr.args) {
    const Checked type = check(arg);
    bool fits = type.has_value();
    if (fits && wanted == Type::Condition) {
      fits = isCondition(arg, *type);
    } else if (fits && *type != wanted && *type != Type::Any) {
      fits = false;
      fail(arg, fmt::format("expected {}, found {}", expression::describe(wanted), expression::describe(*type)));
    }
    good = good && fits;
  }
  return good;
}

ExpressionChecker::Checked ExpressionChecker::check(ir::Expr& expr, Type wanted) {
  if (const ir::OperatorInfo* row = ir::findOperator(expr.kind)) {
    if (row->binding == ir::Binding::Comparison) return checkComparison(expr);
    const Type type = row->binding < ir::Binding::Comparison ? Type::Condition : Type::Number;
    return checkOperands(expr, type) ? Checked(type) : std::nullopt;
  }
  switch (expr.kind) {
    case Kind::Call:
      return checkCall(expr);
    case Kind::Name:
      return checkName(expr, wanted);
    case Kind::Int:
    case Kind::Float:
      return Type::Number;
    case Kind::String:
      return Type::String;
    case Kind::Bool:
      return Type::Condition;
    case Kind::Regex:
      return regex(expr.text, expr.range) ? Checked(Type::Regex) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace amdahlc::grammar
