/// Checks expressions: names known, types agree, regular expressions compile.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/rules.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// The values that an expression may speak of: written name to the name in the checked pattern.
struct ValueNames {
  std::function<std::optional<std::string>(const ir::Expr& name)>
      resolve;  ///< reports what is known but cannot be tested
  std::vector<std::string> candidates;
};

class ExpressionChecker {
 public:
  ExpressionChecker(const SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  /// Each resolves names in place and returns false after reporting an error.
  bool where(ir::Expr& expr, const ValueNames& values);
  bool constantTest(ir::Expr& expr);
  bool attributeTest(ir::Expr& expr);
  bool kernelTest(ir::Expr& expr);
  /// A regular expression by itself, for framework operators.
  bool regex(const std::string& text, SourceRange range);

 private:
  enum class Type : uint8_t { Error, Unknown, Bool, Number, String, Element, List, Value };
  enum class Context : uint8_t { Where, Constant, Attribute, Kernel };

  bool isTest(ir::Expr& expr, Context context, const ValueNames* values);
  Type check(ir::Expr& expr, Context context, const ValueNames* values);
  Type checkName(ir::Expr& expr, Context context, const ValueNames* values);
  Type checkCall(ir::Expr& expr, Context context, const ValueNames* values);
  Type checkComparison(ir::Expr& expr, Context context, const ValueNames* values);
  Type fail(const ir::Expr& expr, std::string message);
  static std::string_view typeName(Type type);

  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
};

/// Names of attributes that a test looks at.
std::set<std::string> attributeNames(const ir::Expr& test);
/// Whether a regular expression, searched for in a kernel name, is found in every name. Precondition: it compiles.
bool matchesEveryName(const std::string& regex);

}  // namespace amdahlc::grammar
