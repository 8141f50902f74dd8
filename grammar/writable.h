/// What may be written at a place of a rule file that is being typed, for completion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace amdahlc::grammar {

struct Writable {
  /// What a name at the place would be.
  enum class Names : uint8_t {
    /// A new name, or none.
    None,
    /// A value, or an operator, a class or a fragment with operands.
    Operand,
    /// An operator or a class.
    Operator,
    /// A value that the pattern defines.
    Value,
    Rule,
    Category,
    Runtime,
    Vendor,
    Arch,
    Evidence,
    /// Parts of expressions, by their place.
    WhereTest,
    AttributeTest,
    /// In a lowering, behind the `=` of an attribute.
    AttributeValue,
    ConstantTest,
    KernelTest,
  };
  Names names = Names::None;
  /// The keywords that the grammar has there, in its order.
  std::vector<std::string> keywords;
  /// The word at the place, with what is written of it before and behind: bytes of the text. A domain before it is part
  /// of it, and so are the parts of a name with dots or dashes.
  uint32_t begin = 0;
  uint32_t end = 0;
  /// Inputs and values of the pattern around the place, in the order of the text before it.
  std::vector<std::string> values;
  /// AttributeTest: the operators that the test follows.
  std::vector<ast::OperatorRef> operators;
};

/// `offset` is at most the size of the text. Inside strings, regular expressions and comments, nothing.
Writable writableAt(std::string_view text, uint32_t offset);

}  // namespace amdahlc::grammar
