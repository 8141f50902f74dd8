#include "grammar/expressions.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "ir/type.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {
namespace {

using Kind = ir::Expr::Kind;

/// A function of `where`. Parameters: v a value, i a number, s a string. The result: b bool, n number, s string, e element type, ? depends.
struct Function {
  std::string_view name;
  std::string_view parameters;
  size_t required;
  char result;
};
constexpr std::array<Function, 13> kFunctions{{
    {"attr", "vs", 2, '?'},
    {"bytes", "v", 1, 'n'},
    {"constant", "v", 1, 'b'},
    {"dim", "vi", 2, 'n'},
    {"elements", "v", 1, 'n'},
    {"opset", "s", 0, 'n'},
    {"rank", "v", 1, 'n'},
    {"same", "vv", 2, 'b'},
    {"same_shape", "vv", 2, 'b'},
    {"scope", "v", 1, 's'},
    {"type", "v", 1, 'e'},
    {"uses", "v", 1, 'n'},
    {"value", "v", 1, 'n'},
}};

constexpr std::array<std::string_view, 11> kFacts{"block",  "block.x", "block.y", "block.z",   "bytes",        "grid",
                                                  "grid.x", "grid.y",  "grid.z",  "registers", "shared_memory"};
constexpr std::array<std::string_view, 3> kEventKinds{"kernel", "copy", "set"};

std::vector<std::string> functionNames() {
  std::vector<std::string> out;
  for (const Function& function : kFunctions) out.emplace_back(function.name);
  return out;
}

void collectNames(const ir::Expr& expr, std::set<std::string>& into) {
  if (expr.kind == Kind::Name) into.insert(expr.text);
  for (const ir::Expr& arg : expr.args) collectNames(arg, into);
}

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

std::set<std::string> attributeNames(const ir::Expr& test) {
  std::set<std::string> out;
  collectNames(test, out);
  return out;
}

bool matchesEveryName(const std::string& regex) {
  const re2::RE2 compiled(regex, quiet());
  return re2::RE2::PartialMatch("", compiled) && re2::RE2::PartialMatch("x", compiled) &&
         re2::RE2::PartialMatch("void at::native::k<float, 4>(int)", compiled);
}

std::string_view ExpressionChecker::typeName(Type type) {
  switch (type) {
    case Type::Bool:
      return "a condition";
    case Type::Number:
      return "a number";
    case Type::String:
      return "a string";
    case Type::Element:
      return "an element type";
    case Type::List:
      return "a list";
    case Type::Value:
      return "a value of the pattern";
    default:
      return "unknown";
  }
}

ExpressionChecker::Type ExpressionChecker::fail(const ir::Expr& expr, std::string message) {
  diagnostics_.error(DiagId::AkpExpression, expr.range, std::move(message));
  return Type::Error;
}

bool ExpressionChecker::regex(const std::string& text, SourceRange range) {
  const re2::RE2 compiled(text, quiet());
  if (compiled.ok()) return true;
  // The caret goes to the part that RE2 names, inside the slashes.
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
                                 lookAround ? "; RE2 knows no look-ahead, write `/a/ and not /b/`" : ""));
  return false;
}

bool ExpressionChecker::where(ir::Expr& expr, const ValueNames& values) {
  return isTest(expr, Context::Where, &values);
}
bool ExpressionChecker::constantTest(ir::Expr& expr) { return isTest(expr, Context::Constant, nullptr); }
bool ExpressionChecker::attributeTest(ir::Expr& expr) { return isTest(expr, Context::Attribute, nullptr); }
bool ExpressionChecker::kernelTest(ir::Expr& expr) { return isTest(expr, Context::Kernel, nullptr); }

bool ExpressionChecker::isTest(ir::Expr& expr, Context context, const ValueNames* values) {
  const Type type = check(expr, context, values);
  if (type == Type::Error || type == Type::Bool || (type == Type::Unknown && context != Context::Attribute))
    return type != Type::Error;
  if (type == Type::Unknown && expr.kind == Kind::Name) {
    fail(expr, fmt::format("`{}` alone tests nothing; compare it, as in `{} == 1`", expr.text, expr.text));
    return false;
  }
  if (type == Type::Unknown) return true;
  fail(expr, fmt::format("expected a condition, found {}", typeName(type)));
  return false;
}

ExpressionChecker::Type ExpressionChecker::checkName(ir::Expr& expr, Context context, const ValueNames* values) {
  switch (context) {
    case Context::Attribute:
      return Type::Unknown;
    case Context::Constant:
      if (expr.text == "it") return Type::Number;
      return fail(expr, fmt::format("unknown name `{}`; the constant is called `it` here", expr.text));
    case Context::Kernel: {
      if (expr.text == "kind") return Type::String;
      if (std::find(kFacts.begin(), kFacts.end(), expr.text) != kFacts.end()) return Type::Number;
      std::vector<std::string> names(kFacts.begin(), kFacts.end());
      names.emplace_back("kind");
      diagnostics_
          .error(DiagId::AkpUnknownName, expr.range,
                 fmt::format("unknown launch fact `{}`{}", expr.text, didYouMean(expr.text, names)))
          .note("launch facts are grid.x .. block.z, grid, block, registers, shared_memory, bytes and kind");
      return Type::Error;
    }
    case Context::Where:
      break;
  }
  if (std::find(values->candidates.begin(), values->candidates.end(), expr.text) != values->candidates.end()) {
    const auto resolved = values->resolve(expr);
    if (!resolved) return Type::Error;
    expr.text = *resolved;
    return Type::Value;
  }
  if (const auto element = ir::elementTypeFromName(expr.text)) {
    expr.text = ir::name(*element);
    return Type::Element;
  }
  std::vector<std::string> names = values->candidates;
  names.insert(names.end(), ir::elementTypeNames().begin(), ir::elementTypeNames().end());
  diagnostics_.error(DiagId::AkpUnknownName, expr.range,
                     fmt::format("unknown name `{}`{}", expr.text, didYouMean(expr.text, names)));
  return Type::Error;
}

ExpressionChecker::Type ExpressionChecker::checkCall(ir::Expr& expr, Context context, const ValueNames* values) {
  if (expr.text == "list") {
    for (ir::Expr& arg : expr.args) {
      const Type type = check(arg, context, values);
      if (type == Type::Error) return type;
      if (arg.kind != Kind::Int && arg.kind != Kind::Float && arg.kind != Kind::String)
        return fail(arg, "a list holds numbers or strings");
    }
    return Type::List;
  }
  const auto function =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == expr.text; });
  if (context != Context::Where)
    return fail(expr, fmt::format("`{}` has no place here; functions of values belong in `where`", expr.text));
  if (function == kFunctions.end()) {
    const std::vector<std::string> names = functionNames();
    diagnostics_.error(DiagId::AkpUnknownName, expr.range,
                       fmt::format("unknown function `{}`{}", expr.text, didYouMean(expr.text, names)));
    return Type::Error;
  }
  if (expr.args.size() < function->required || expr.args.size() > function->parameters.size())
    return fail(expr, fmt::format("`{}` takes {} argument{}, {} given", expr.text, function->parameters.size(),
                                  function->parameters.size() == 1 ? "" : "s", expr.args.size()));
  bool good = true;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    const Type type = check(expr.args[i], context, values);
    const Type wanted = function->parameters[i] == 'v'   ? Type::Value
                        : function->parameters[i] == 'i' ? Type::Number
                                                         : Type::String;
    if (type != Type::Error && type != Type::Unknown && type != wanted)
      fail(expr.args[i], fmt::format("`{}` takes {} here, found {}", expr.text, typeName(wanted), typeName(type)));
    good = good && (type == wanted || type == Type::Unknown);
  }
  if (!good) return Type::Error;
  switch (function->result) {
    case 'b':
      return Type::Bool;
    case 'n':
      return Type::Number;
    case 's':
      return Type::String;
    case 'e':
      return Type::Element;
    default:
      return Type::Unknown;
  }
}

ExpressionChecker::Type ExpressionChecker::checkComparison(ir::Expr& expr, Context context, const ValueNames* values) {
  std::vector<Type> types;
  for (ir::Expr& arg : expr.args) types.push_back(check(arg, context, values));
  if (std::find(types.begin(), types.end(), Type::Error) != types.end()) return Type::Error;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] == Type::Value)
      return fail(expr.args[i],
                  fmt::format("`{0}` is a whole value; test something of it: `value({0})`, `rank({0})`, `type({0})`",
                              expr.args[i].text));
  for (size_t i = 1; i < types.size(); ++i) {
    if (types[0] == Type::Unknown || types[i] == Type::Unknown) continue;
    if (types[0] != types[i])
      return fail(expr.args[i], fmt::format("compared with {}, found {}", typeName(types[0]), typeName(types[i])));
  }
  const bool ordered = expr.kind == Kind::Lt || expr.kind == Kind::Le || expr.kind == Kind::Gt || expr.kind == Kind::Ge;
  if (ordered && types[0] != Type::Number && types[0] != Type::Unknown)
    return fail(expr, fmt::format("{} has no order", typeName(types[0])));
  if (context == Context::Kernel && expr.args[0].text == "kind" && expr.args[0].kind == Kind::Name) {
    for (size_t i = 1; i < expr.args.size(); ++i) {
      const std::string& kind = expr.args[i].text;
      if (std::find(kEventKinds.begin(), kEventKinds.end(), kind) != kEventKinds.end()) continue;
      const std::vector<std::string> names(kEventKinds.begin(), kEventKinds.end());
      diagnostics_
          .error(DiagId::AkpUnknownName, expr.args[i].range,
                 fmt::format("unknown kind `{}`{}", kind, didYouMean(kind, names)))
          .note("a device event is a kernel, a copy or a set");
      return Type::Error;
    }
  }
  return Type::Bool;
}

ExpressionChecker::Type ExpressionChecker::check(ir::Expr& expr, Context context, const ValueNames* values) {
  switch (expr.kind) {
    case Kind::And:
    case Kind::Or:
    case Kind::Not: {
      bool good = true;
      for (ir::Expr& arg : expr.args) {
        const Type type = check(arg, context, values);
        if (type != Type::Error && type != Type::Bool && type != Type::Unknown)
          fail(arg, fmt::format("expected a condition, found {}", typeName(type)));
        good = good && (type == Type::Bool || type == Type::Unknown);
      }
      return good ? Type::Bool : Type::Error;
    }
    case Kind::Eq:
    case Kind::Ne:
    case Kind::Lt:
    case Kind::Le:
    case Kind::Gt:
    case Kind::Ge:
    case Kind::In:
      return checkComparison(expr, context, values);
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod:
    case Kind::Neg: {
      bool good = true;
      for (ir::Expr& arg : expr.args) {
        const Type type = check(arg, context, values);
        if (type != Type::Error && type != Type::Number && type != Type::Unknown)
          fail(arg, fmt::format("expected a number, found {}", typeName(type)));
        good = good && (type == Type::Number || type == Type::Unknown);
      }
      return good ? Type::Number : Type::Error;
    }
    case Kind::Call:
      return checkCall(expr, context, values);
    case Kind::Name:
      return checkName(expr, context, values);
    case Kind::Int:
    case Kind::Float:
      return Type::Number;
    case Kind::String:
      return Type::String;
    case Kind::Bool:
      return Type::Bool;
    case Kind::Regex:
      if (context != Context::Kernel)
        return fail(expr, "a regular expression tests kernel names and stands only in `runs as`");
      return regex(expr.text, expr.range) ? Type::Bool : Type::Error;
  }
  return Type::Error;
}

}  // namespace amdahlc::grammar
