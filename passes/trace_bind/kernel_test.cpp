#include "passes/trace_bind/kernel_test.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace amdahlc::binding {

/// The value of a test's expression: a number or a text. Truth is a number.
struct KernelTester::Scalar {
  bool isText = false;
  double number = 0;
  std::string text;
  static Scalar of(double value) { return {false, value, {}}; }
  static Scalar of(std::string_view value) { return {true, 0, std::string(value)}; }
  bool truth() const { return isText ? !text.empty() : number != 0; }
};

namespace {

/// Launch facts by the names that rules use.
std::optional<double> launchFact(std::string_view fact, const LaunchFacts& facts) {
  const auto known = [](int64_t value) {
    return value < 0 ? std::optional<double>() : std::optional<double>(static_cast<double>(value));
  };
  const auto product = [&](const int64_t(&dims)[3]) {
    if (dims[0] < 0 || dims[1] < 0 || dims[2] < 0) return std::optional<double>();
    return std::optional<double>(static_cast<double>(dims[0]) * static_cast<double>(dims[1]) *
                                 static_cast<double>(dims[2]));
  };
  if (fact == "grid") return product(facts.grid);
  if (fact == "block") return product(facts.block);
  if (fact == "registers") return known(facts.registers);
  if (fact == "shared_memory") return known(facts.sharedMemoryBytes);
  if (fact == "bytes") return known(facts.bytes);
  if (fact.size() > 2 && fact[fact.size() - 2] == '.') {
    const char axis = fact.back();
    if (axis < 'x' || axis > 'z') return std::nullopt;
    const std::string_view stem = fact.substr(0, fact.size() - 2);
    if (stem == "grid") return known(facts.grid[axis - 'x']);
    if (stem == "block") return known(facts.block[axis - 'x']);
  }
  return std::nullopt;
}

/// Deeper tests are unknown: far beyond what the grammar lets through, but IR text comes from anywhere.
constexpr unsigned kMaxTestDepth = 200;

}  // namespace

KernelTester::KernelTester() = default;
KernelTester::~KernelTester() = default;

const re2::RE2& KernelTester::regex(const std::string& text) {
  auto& slot = regexes_[text];
  if (!slot) slot = std::make_unique<re2::RE2>(text, re2::RE2::Quiet);
  return *slot;
}

bool KernelTester::operatorMatches(const std::string& pattern, std::string_view name) {
  const re2::RE2& compiled = regex(pattern);
  return compiled.ok() && re2::RE2::FullMatch({name.data(), name.size()}, compiled);
}

bool KernelTester::holds(const ir::Expr& test, const LaunchSignature& signature, const Timeline& timeline) {
  const auto value = evaluate(test, signature, timeline, 0);
  return value && value->truth();
}

bool KernelTester::acceptsAnything(const ir::Expr& test) {
  Timeline nothing;
  LaunchSignature signature;
  signature.name = nothing.strings.intern("\x01");
  return holds(test, signature, nothing);
}

std::optional<KernelTester::Scalar> KernelTester::evaluate(const ir::Expr& expr, const LaunchSignature& signature,
                                                           const Timeline& timeline, unsigned depth) {
  using Kind = ir::Expr::Kind;
  if (depth > kMaxTestDepth) return std::nullopt;
  const auto argument = [&](size_t i) { return evaluate(expr.args[i], signature, timeline, depth + 1); };
  switch (expr.kind) {
    case Kind::Regex: {
      const re2::RE2& compiled = regex(expr.text);
      const std::string_view kernel = timeline.text(signature.name);
      if (!compiled.ok()) return std::nullopt;
      return Scalar::of(re2::RE2::PartialMatch({kernel.data(), kernel.size()}, compiled) ? 1.0 : 0.0);
    }
    case Kind::Bool:
    case Kind::Int:
      return Scalar::of(static_cast<double>(expr.integer));
    case Kind::Float:
      return Scalar::of(expr.real);
    case Kind::String:
      return Scalar::of(std::string_view(expr.text));
    case Kind::Name:
      if (expr.text == "kind") return Scalar::of(name(signature.kind));
      if (expr.text == "name") return Scalar::of(timeline.text(signature.name));
      if (const auto fact = launchFact(expr.text, signature.facts)) return Scalar::of(*fact);
      return std::nullopt;
    case Kind::Not: {
      if (expr.args.size() != 1) return std::nullopt;
      const auto value = argument(0);
      return value ? std::optional(Scalar::of(value->truth() ? 0.0 : 1.0)) : std::nullopt;
    }
    case Kind::And:
    case Kind::Or: {
      const bool deciding = expr.kind == Kind::Or;
      bool unknown = false;
      for (size_t i = 0; i < expr.args.size(); ++i) {
        const auto value = argument(i);
        if (!value)
          unknown = true;
        else if (value->truth() == deciding)
          return Scalar::of(deciding ? 1.0 : 0.0);
      }
      return unknown ? std::nullopt : std::optional(Scalar::of(deciding ? 0.0 : 1.0));
    }
    case Kind::Neg: {
      if (expr.args.size() != 1) return std::nullopt;
      const auto value = argument(0);
      return value && !value->isText ? std::optional(Scalar::of(-value->number)) : std::nullopt;
    }
    case Kind::In: {
      if (expr.args.empty()) return std::nullopt;
      const auto tested = argument(0);
      if (!tested) return std::nullopt;
      for (size_t i = 1; i < expr.args.size(); ++i) {
        const auto value = argument(i);
        if (value && value->isText == tested->isText && value->number == tested->number && value->text == tested->text)
          return Scalar::of(1.0);
      }
      return Scalar::of(0.0);
    }
    case Kind::Eq:
    case Kind::Ne:
    case Kind::Lt:
    case Kind::Le:
    case Kind::Gt:
    case Kind::Ge:
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod:
      break;
    case Kind::Call:
      return std::nullopt;
  }
  if (expr.args.size() != 2) return std::nullopt;
  const auto left = argument(0), right = argument(1);
  if (!left || !right || left->isText != right->isText) return std::nullopt;
  const auto truth = [](bool value) { return Scalar::of(value ? 1.0 : 0.0); };
  const int order = left->isText ? left->text.compare(right->text)
                                 : (left->number < right->number   ? -1
                                    : left->number > right->number ? 1
                                                                   : 0);
  switch (expr.kind) {
    case Kind::Eq:
      return truth(order == 0);
    case Kind::Ne:
      return truth(order != 0);
    case Kind::Lt:
      return truth(order < 0);
    case Kind::Le:
      return truth(order <= 0);
    case Kind::Gt:
      return truth(order > 0);
    case Kind::Ge:
      return truth(order >= 0);
    default:
      break;
  }
  if (left->isText) return std::nullopt;
  switch (expr.kind) {
    case Kind::Add:
      return Scalar::of(left->number + right->number);
    case Kind::Sub:
      return Scalar::of(left->number - right->number);
    case Kind::Mul:
      return Scalar::of(left->number * right->number);
    case Kind::Div:
      return right->number == 0 ? std::nullopt : std::optional(Scalar::of(std::trunc(left->number / right->number)));
    case Kind::Mod:
      return right->number == 0 ? std::nullopt : std::optional(Scalar::of(std::fmod(left->number, right->number)));
    default:
      return std::nullopt;
  }
}

}  // namespace amdahlc::binding
