/// Checks expressions: that names are known, types agree and regular expressions compile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ir/expression/functions.h"
#include "ir/rules.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace re2 {
class RE2;
}

namespace amdahlc::grammar {

/// Adds the change to what `didYouMean` says, if it says something. `range` is where the name is written; if other text
/// is written there, such as quotes, nothing is added.
void fixName(DiagnosticEngine::InFlight& report, SourceRange range, std::string_view name,
             std::span<const std::string> known);
/// Reports a name that is none of the known ones: `message` with the nearest of them, which is also its change.
DiagnosticEngine::InFlight unknownName(DiagnosticEngine& diagnostics, SourceRange range, std::string message,
                                       std::string_view name, std::span<const std::string> known);

/// The regular expressions of the rules that are loaded together, each compiled once: many rules have the same.
class Regexes {
 public:
  /// It may have an error.
  const re2::RE2& compiled(const std::string& text);
  /// Whether a regular expression without error is found in every name of a kernel, or matches every one as a whole.
  bool matchesEveryName(const std::string& text, bool whole);

 private:
  std::map<std::string, std::shared_ptr<re2::RE2>> compiled_;
};

/// The values that an expression may name: written name to the name in the checked pattern.
struct ValueNames {
  /// Reports names that are known but cannot be tested.
  std::function<std::optional<std::string>(const ir::Expr& name)> resolve;
  std::vector<std::string> candidates;
  /// Of the value of an attribute: whether the argument is a tensor. Others are numbers, texts or lists.
  std::function<bool(const std::string& name)> isTensor = {};
};

/// Checks expressions against the table of functions of `ir/expression`.
class ExpressionChecker {
 public:
  ExpressionChecker(Regexes& regexes, const SourceManager& sources, DiagnosticEngine& diagnostics)
      : regexes_(regexes), sources_(sources), diagnostics_(diagnostics) {}

  using Context = expression::Context;

  /// Resolves names in place, and returns false after reporting an error. A condition of `where` has values.
  bool test(ir::Expr& expr, Context context, const ValueNames* values = nullptr);
  /// The value of an attribute in a lowering, over the arguments of the call.
  bool attributeValue(ir::Expr& expr, const ValueNames& arguments);
  /// A regular expression by itself, for framework operators.
  bool regex(const std::string& text, SourceRange range);

 private:
  using Type = expression::Type;
  /// nullopt if an error was reported.
  using Checked = std::optional<Type>;

  /// `wanted` is the expected type, if it decides what a name means.
  Checked check(ir::Expr& expr, Type wanted = Type::Any);
  Checked checkName(ir::Expr& expr, Type wanted);
  Checked checkCall(ir::Expr& expr);
  Checked checkList(ir::Expr& expr);
  Checked checkComparison(ir::Expr& expr);
  /// Operands of `and`, `or`, `not` and of arithmetic.
  bool checkOperands(ir::Expr& expr, Type wanted);
  /// If one side has a fixed set of strings, literals on the other side must be in it.
  bool checkStrings(const ir::Expr& comparison);
  bool isCondition(const ir::Expr& expr, Type type);
  std::nullopt_t fail(const ir::Expr& expr, std::string message);
  std::nullopt_t failQuotedElementType(const ir::Expr& literal);

  Regexes& regexes_;
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  /// The place and the message of the last error.
  std::tuple<BufferId, uint32_t, std::string> lastFailure_;
  // Of the test that is being checked.
  Context context_ = Context::Where;
  const ValueNames* values_ = nullptr;
};

}  // namespace amdahlc::grammar
