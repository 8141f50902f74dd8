/// The operators of an entry as a graph of values: what `.akp` can say by names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/operator_schemas.h"
#include "grammar/xml_rules/library.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar::xml_rules {

/// An operator that the library names in any case.
struct OperatorType {
  /// As `.akp` writes it, with a domain that is not ONNX's own.
  std::string shown;
  /// Without the domain.
  std::string type;
  /// nullptr for an operator of which only the name is known.
  const OperatorSchema* schema = nullptr;
  bool commutative = false;
};

class OperatorTypes {
 public:
  /// Reports an unknown operator.
  std::optional<OperatorType> find(const XmlText& name, DiagnosticEngine& diagnostics) const;

 private:
  OperatorSchemas schemas_;
};

/// An operand that simplify has folded to a constant.
inline constexpr size_t kFolded = SIZE_MAX;

struct GroupOperator {
  /// Empty for a run of miscellaneous operators.
  OperatorType type;
  bool isRun = false;
  /// The operators whose results it uses, or `kFolded`. Which operand each is, the library does not say.
  std::vector<size_t> producers;
  SourceRange range;
  /// It computes with shapes alone.
  bool ofShapes = false;
};

struct GroupGraph {
  /// Each behind its producers.
  std::vector<GroupOperator> operators;
  std::vector<size_t> results;
};

/// The graph of a group. `hasMiscellaneous`: the library names miscellaneous operators. Reports what has no graph.
std::optional<GroupGraph> groupGraph(const XmlNode& pattern, bool hasMiscellaneous, const OperatorTypes& types,
                                     DiagnosticEngine& diagnostics);

/// The graph that is left where the shapes are known and simplify has folded the arithmetic with them; nullopt if there
/// is no such arithmetic, or nothing else.
std::optional<GroupGraph> withFoldedShapes(const GroupGraph& graph);

}  // namespace amdahlc::grammar::xml_rules
