/// Warns about attributes that operators lack, and about comparisons with what an attribute never holds.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "grammar/operator_schemas.h"
#include "ir/rules.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

/// What schemas say about the attributes of a choice of operators, over all versions.
struct KnownAttributes {
  /// `Other` where operators or versions differ.
  std::map<std::string, ir::onnx_schemas::AttributeKind> kinds;
  /// For messages: "`Softmax`", "`Add` or `Mul`".
  std::string operators;
};

/// nullopt if an operator of the choice has no schema, or if the choice does not name its operators.
std::optional<KnownAttributes> attributesOf(const ir::OperatorSet& operators, const OperatorSchemas& schemas);

/// An expression that is the value of an attribute.
struct AttributeUse {
  std::string name;
  /// Where the name is written, without quotes.
  SourceRange range;
  /// The whole expression, for examples in messages: `axis`, `attr(y, "axis")`.
  std::string written;
  KnownAttributes known;
};

/// Recognizes the uses of a context. nullopt for any other expression, and where nothing is known of the operators.
using FindAttribute = std::function<std::optional<AttributeUse>(const ir::Expr&)>;

/// Checks the uses in a checked expression. Each unknown name is reported once.
void checkAttributes(const ir::Expr& test, const FindAttribute& find, DiagnosticEngine& diagnostics);

/// The use by a name in an attribute test, as in `{ axis == 1 }`.
std::optional<AttributeUse> attributeNamed(const ir::Expr& expr, const KnownAttributes& known);

}  // namespace amdahlc::grammar
