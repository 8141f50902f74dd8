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
    NotMade,        ///< an operator was expected; the value is an input, a constant or omitted
    OtherOperator,  ///< another operator makes the value
    OtherGraph,     ///< the operator is in an enclosing graph
    OtherOutput,    ///< of the right operator
    Repeated,       ///< the operator is in the match already
    Attribute,      ///< test `index` of the node
    OperandCount,   ///< more operands than the pattern has
    Omitted,        ///< a captured operand is left out
    NotConstant,
    ConstantValue,
    OtherValue,  ///< bound to something else already
    OutputMissing,
    NoFurtherResult,
    UsedOutside,  ///< an internal value; `op` uses it, or the graph returns it
    Condition,    ///< `where` clause `index`
    NotConvex,    ///< a path leaves the match and comes back
    Budget,
  };
  Reason reason = Reason::None;
  ir::OpId root;
  uint32_t patternValue = ir::kNoIndex;
  uint32_t patternNode = ir::kNoIndex;
  ir::ValueId value;  ///< the value at which it stopped
  ir::OpId user;      ///< the matched operator that has it as operand
  ir::OpId op;        ///< the operator at fault
  uint32_t index = 0;
  std::vector<ir::OpId> matched;  ///< operators matched so far, in the order of matching
};

/// One clause: "operand `x` of `Mul_5` is made by `Tanh_2`, not by Erf".
std::string describe(const ir::Module& module, const CompiledPattern& pattern, const MatchFailure& failure);

/// `MatMul`, `(Mul | Div)`, `!Softmax`, `com.microsoft::Gelu`: an operator set as rules write it.
std::string toString(const ir::OperatorSet& set);

}  // namespace amdahlc
