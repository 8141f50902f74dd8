// Operators that compute each element of the result from the elements of the operands at its place. An arithmetic
// operation, a comparison, a selection and a function such as `Exp` are one operation each.
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

template <int64_t kFlops>
void perResult(OperatorWork& work) {
  work.vector(Amount(kFlops) * work.resultElements());
}

/// One operation for each operand beyond the first.
void perOperandPair(OperatorWork& work) {
  work.vector(work.resultElements() * (Amount(static_cast<int64_t>(work.operands())) - Amount(1)));
}

/// The sum of n operands and a division.
void meanOfOperands(OperatorWork& work) {
  work.vector(work.resultElements() * Amount(static_cast<int64_t>(work.operands())));
}

void clip(OperatorWork& work) {
  const bool hasLow = work.has(1) || work.hasAttribute("min"), hasHigh = work.has(2) || work.hasAttribute("max");
  work.vector(work.resultElements() * Amount(int64_t{hasLow} + int64_t{hasHigh}));
}

void convert(OperatorWork& work) {
  // Of the second operand only the type counts.
  work.reads(1, 0);
}

void keep(OperatorWork&) {}

constexpr std::string_view kOnePerElement = "1 per element";

constexpr OperatorRow kElementwiseRows[] = {
    {"", "Abs", perResult<1>, kOnePerElement},
    {"", "Acos", perResult<1>, kOnePerElement},
    {"", "Acosh", perResult<1>, kOnePerElement},
    {"", "Add", perResult<1>, kOnePerElement},
    {"", "And", perResult<1>, kOnePerElement},
    {"", "Asin", perResult<1>, kOnePerElement},
    {"", "Asinh", perResult<1>, kOnePerElement},
    {"", "Atan", perResult<1>, kOnePerElement},
    {"", "Atanh", perResult<1>, kOnePerElement},
    {"", "BitShift", perResult<1>, kOnePerElement},
    {"", "BitwiseAnd", perResult<1>, kOnePerElement},
    {"", "BitwiseNot", perResult<1>, kOnePerElement},
    {"", "BitwiseOr", perResult<1>, kOnePerElement},
    {"", "BitwiseXor", perResult<1>, kOnePerElement},
    {"", "Cast", keep, "none"},
    {"", "CastLike", convert, "none", "of the second operand none"},
    {"", "Ceil", perResult<1>, kOnePerElement},
    {"", "Clip", clip, "1 per element and bound"},
    {"", "Cos", perResult<1>, kOnePerElement},
    {"", "Cosh", perResult<1>, kOnePerElement},
    {"", "Div", perResult<1>, kOnePerElement},
    {"", "Equal", perResult<1>, kOnePerElement},
    {"", "Erf", perResult<1>, kOnePerElement},
    {"", "Exp", perResult<1>, kOnePerElement},
    {"", "Floor", perResult<1>, kOnePerElement},
    {"", "Greater", perResult<1>, kOnePerElement},
    {"", "GreaterOrEqual", perResult<1>, kOnePerElement},
    {"", "IsInf", perResult<1>, kOnePerElement},
    {"", "IsNaN", perResult<1>, kOnePerElement},
    {"", "Less", perResult<1>, kOnePerElement},
    {"", "LessOrEqual", perResult<1>, kOnePerElement},
    {"", "Log", perResult<1>, kOnePerElement},
    {"", "Max", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Mean", meanOfOperands, "1 per element and operand"},
    {"", "Min", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Mod", perResult<1>, kOnePerElement},
    {"", "Mul", perResult<1>, kOnePerElement},
    {"", "Neg", perResult<1>, kOnePerElement},
    {"", "Not", perResult<1>, kOnePerElement},
    {"", "Or", perResult<1>, kOnePerElement},
    {"", "Pow", perResult<1>, kOnePerElement},
    {"", "Reciprocal", perResult<1>, kOnePerElement},
    {"", "Round", perResult<1>, kOnePerElement},
    {"", "Sign", perResult<1>, kOnePerElement},
    {"", "Sin", perResult<1>, kOnePerElement},
    {"", "Sinh", perResult<1>, kOnePerElement},
    {"", "Sqrt", perResult<1>, kOnePerElement},
    {"", "Sub", perResult<1>, kOnePerElement},
    {"", "Sum", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Tan", perResult<1>, kOnePerElement},
    {"", "Where", perResult<1>, kOnePerElement},
    {"", "Xor", perResult<1>, kOnePerElement},
};

}  // namespace

std::span<const OperatorRow> elementwiseRows() { return kElementwiseRows; }

}  // namespace amdahlc
