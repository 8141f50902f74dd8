/// The element type of the result of a call with operands of several types, as PyTorch promotes them: operands with
/// dimensions decide, a tensor without dimensions counts only where it is of a higher category (truth values, integers,
/// reals, complex numbers), and a number of Python only where it is of a higher one than both.
#pragma once

#include <span>

#include "ir/type.h"

namespace amdahlc::ir {

struct PromotedOperand {
  /// Undefined: it is not known.
  ElementType element = ElementType::Undefined;
  enum class Rank : uint8_t {
    /// A number of Python. Its element type tells the category only: reals have the default type of the process.
    Number,
    /// A tensor without dimensions. A trace may state a number of Python as one of float64 or int64.
    Scalar,
    Dims,
    Unknown,
  };
  Rank rank = Rank::Dims;
};

/// Undefined if it is not known: an element type is not, a real number decides, or types have no promotion.
ElementType promoted(std::span<const PromotedOperand> operands);

}  // namespace amdahlc::ir
