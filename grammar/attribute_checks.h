/// Warns about attributes that operators lack, and about comparisons with what an attribute never holds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "grammar/operator_schemas.h"
#include "ir/rules.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

/// What schemas say about the attributes of a choice of operators, over all versions.
struct KnownAttributes {
  struct Attribute {
    /// `Other` where operators or versions differ.
    ir::onnx_schemas::AttributeKind kind;
    /// Those of the choice that have it.
    ir::OperatorSet operators;
  };
  std::map<std::string, Attribute> attributes;
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
  /// nullptr where nothing is known of the operators.
  const KnownAttributes* known = nullptr;
};

/// Recognizes the uses of a context. nullopt for any other expression.
using FindAttribute = std::function<std::optional<AttributeUse>(const ir::Expr&)>;

/// The use by a name in an attribute test, as in `{ axis == 1 }`.
std::optional<AttributeUse> attributeNamed(const ir::Expr& expr, const KnownAttributes* known);

/// Collects what is wrong in the patterns of one rule. A condition of several patterns is checked in each of them, and
/// is only wrong if it is so in all: one that has no such attribute is excluded by the condition.
class AttributeChecks {
 public:
  /// Checks the uses in a checked expression.
  void check(const ir::Expr& test, const FindAttribute& find, const SourceManager& sources);
  /// Reports what is wrong, in the order of the text, and forgets everything.
  void report(DiagnosticEngine& diagnostics);

 private:
  struct Finding {
    uint32_t checked = 0;
    uint32_t wrong = 0;
    std::string message, note;
    /// Of an unknown name.
    std::string name;
    std::vector<std::string> known;
  };
  void checkName(const AttributeUse& use);
  void checkComparison(const ir::Expr& tested, const AttributeUse& use, const ir::Expr& literal,
                       const SourceManager& sources);

  /// By what is wrong: its buffer, begin and end.
  std::map<std::tuple<BufferId, uint32_t, uint32_t, DiagId>, Finding> findings_;
};

}  // namespace amdahlc::grammar
