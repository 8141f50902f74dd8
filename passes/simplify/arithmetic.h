/// The operators of shape arithmetic, over partly known elements.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "passes/simplify/host_values.h"

namespace amdahlc::simplify {

/// An operator and what is known of its operands; omitted ones, and those of unknown length, are null.
struct Evaluation {
  const ir::Module& module;
  const ir::Op& op;
  std::vector<const Elements*> operands;
  /// Elements of the result.
  int64_t count;

  const Elements* operand(size_t index) const { return index < operands.size() ? operands[index] : nullptr; }
  /// The one integer of an operand; nullopt where unknown.
  std::optional<int64_t> integer(size_t index) const;
  ir::ElementType resultType() const;
};

using Evaluate = std::optional<Elements> (*)(const Evaluation&);

/// A row of the table of host operators.
struct HostOperator {
  std::string_view type;
  /// Null: the result is on the host, but nobody needed its value yet.
  Evaluate evaluate;
  /// The framework makes such a tensor on the device unless only shapes need it: a range, a filled tensor.
  bool madeOnDevice = false;
};

/// Null for operators that are no shape arithmetic. `Shape`, `Size` and `Constant` are not among them: they need no
/// host operand.
const HostOperator* hostOperator(std::string_view type);

}  // namespace amdahlc::simplify
