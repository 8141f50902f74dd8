/// Why a match stopped: what `-Rpass-missed=fuse` says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

struct CompiledPattern;

/// The deepest point that a match reached.
struct MatchFailure {
  enum class Reason : uint8_t {
    None,
    /// An operator was expected; the value is an input, a constant or omitted.
    NotMade,
    /// Another operator makes the value.
    OtherOperator,
    /// The operator is in an enclosing graph.
    OtherGraph,
    /// Of the right operator.
    OtherOutput,
    /// The operator is in the match already.
    Repeated,
    /// Test `index` of the node.
    Attribute,
    /// More operands than the pattern has.
    OperandCount,
    /// A captured operand is left out.
    Omitted,
    NotConstant,
    ConstantValue,
    /// Bound to something else already.
    OtherValue,
    OutputMissing,
    NoFurtherResult,
    /// An internal value; `op` uses it, or the graph returns it.
    UsedOutside,
    /// `where` clause `index`.
    Condition,
    /// A path leaves the match and comes back.
    NotConvex,
    Budget,
  };
  Reason reason = Reason::None;
  ir::OpId root;
  uint32_t patternValue = ir::kNoIndex;
  uint32_t patternNode = ir::kNoIndex;
  /// The value at which it stopped.
  ir::ValueId value;
  /// The matched operator that has it as operand.
  ir::OpId user;
  /// The operator at fault.
  ir::OpId op;
  uint32_t index = 0;
  /// Operators matched so far, in the order of matching.
  std::vector<ir::OpId> matched;
};

/// One clause: "operand `x` of `Mul_5` is made by `Tanh_2`, not by Erf".
std::string describe(const ir::Module& module, const CompiledPattern& pattern, const MatchFailure& failure);

/// `MatMul`, `(Mul | Div)`, `!Softmax`, `com.microsoft::Gelu`: an operator set as rules write it.
std::string toString(const ir::OperatorSet& set);

}  // namespace amdahlc
