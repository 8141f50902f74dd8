/// Checks expressions: that names are known, types agree and regular expressions compile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expression/functions.h"
#include "ir/rules.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace re2 {
class RE2;
}

namespace amdahlc::grammar {

/// The regular expressions of the rules that are loaded together, each compiled once: many rules have the same.
class Regexes {
 public:
  Regexes();
  ~Regexes();
  /// It may have an error.
  const re2::RE2& compiled(const std::string& text);
  /// Whether a regular expression without error, searched for in the name of a kernel, is found in every name.
  bool isInEveryName(const std::string& text);
  /// Whether it matches every name as a whole.
  bool matchesEveryName(const std::string& text);

 private:
  std::map<std::string, std::unique_ptr<re2::RE2>> compiled_;
};

/// The values that an expression may name: written name to the name in the checked pattern.
struct ValueNames {
  /// Reports names that are known but cannot be tested.
  std::function<std::optional<std::string>(const ir::Expr& name)> resolve;
  std::vector<std::string> candidates;
};

/// Checks expressions against the table of functions of `ir/expression`.
class ExpressionChecker {
 public:
  ExpressionChecker(Regexes& regexes, const SourceManager& sources, DiagnosticEngine& diagnostics)
      : regexes_(regexes), sources_(sources), diagnostics_(diagnostics) {}

  /// Each function resolves names in place, and returns false after reporting an error.
  bool where(ir::Expr& expr, const ValueNames& values);
  bool constantTest(ir::Expr& expr);
  bool attributeTest(ir::Expr& expr);
  bool kernelTest(ir::Expr& expr);
  /// A regular expression by itself, for framework operators.
  bool regex(const std::string& text, SourceRange range);

 private:
  using Context = expression::Context;
  using Type = expression::Type;
  /// nullopt if an error was reported.
  using Checked = std::optional<Type>;

  bool isTest(ir::Expr& expr, Context context, const ValueNames* values);
  /// `wanted` is the expected type, if it decides what a name means.
  Checked check(ir::Expr& expr, Context context, const ValueNames* values, Type wanted = Type::Any);
  Checked checkName(ir::Expr& expr, Context context, const ValueNames* values, Type wanted);
  Checked checkCall(ir::Expr& expr, Context context, const ValueNames* values);
  Checked checkList(ir::Expr& expr, Context context, const ValueNames* values);
  Checked checkComparison(ir::Expr& expr, Context context, const ValueNames* values);
  /// Operands of `and`, `or`, `not` and of arithmetic.
  bool checkOperands(ir::Expr& expr, Context context, const ValueNames* values, Type wanted);
  /// If one side has a fixed set of strings, literals on the other side must be in it.
  bool checkStrings(const ir::Expr& comparison, Context context);
  bool isCondition(const ir::Expr& expr, Type type, Context context);
  std::nullopt_t fail(const ir::Expr& expr, std::string message);
  std::nullopt_t failQuotedElementType(const ir::Expr& literal);

  Regexes& regexes_;
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace amdahlc::grammar
