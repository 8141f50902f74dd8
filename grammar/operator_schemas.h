/// Operators by ONNX's schemas, over all opsets: rules are checked without a model.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/onnx_schemas/operators.h"

namespace amdahlc::grammar {

using ir::onnx_schemas::OperatorSchema;

/// Those of all operators.
class OperatorSchemas {
 public:
  /// nullptr for an operator without a schema that is not in a list of contributed operators.
  const OperatorSchema* find(std::string_view domain, std::string_view type) const;
  /// Whether operators of a domain are known. Operators of other domains are not diagnosed.
  bool knowsDomain(std::string_view domain) const;
  /// Operator types of a domain, sorted.
  std::vector<std::string> typesOf(std::string_view domain) const;
  /// Other domains that have an operator of this type, as `domain::type`.
  std::vector<std::string> elsewhere(std::string_view type) const;

 private:
  /// Read on first use, because reading all schemas costs more than loading the shipped rules. nullopt: unknown.
  mutable std::map<std::pair<std::string, std::string>, std::optional<OperatorSchema>> operators_;
};

/// Operators of ai.onnx whose two operands may be exchanged.
bool isCommutative(std::string_view domain, std::string_view type);

}  // namespace amdahlc::grammar
