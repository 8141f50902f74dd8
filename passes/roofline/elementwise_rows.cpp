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

void copy(OperatorWork&) {}

constexpr std::string_view kOne = "1 per element";

constexpr OperatorRow kRows[] = {
    {"", "Abs", perResult<1>, kOne},
    {"", "Acos", perResult<1>, kOne},
    {"", "Acosh", perResult<1>, kOne},
    {"", "Add", perResult<1>, kOne},
    {"", "And", perResult<1>, kOne},
    {"", "Asin", perResult<1>, kOne},
    {"", "Asinh", perResult<1>, kOne},
    {"", "Atan", perResult<1>, kOne},
    {"", "Atanh", perResult<1>, kOne},
    {"", "BitShift", perResult<1>, kOne},
    {"", "BitwiseAnd", perResult<1>, kOne},
    {"", "BitwiseNot", perResult<1>, kOne},
    {"", "BitwiseOr", perResult<1>, kOne},
    {"", "BitwiseXor", perResult<1>, kOne},
    {"", "Cast", copy, "none"},
    {"", "CastLike", convert, "none", "of the second operand none"},
    {"", "Ceil", perResult<1>, kOne},
    {"", "Clip", clip, "1 per element and bound"},
    {"", "Cos", perResult<1>, kOne},
    {"", "Cosh", perResult<1>, kOne},
    {"", "Div", perResult<1>, kOne},
    {"", "Equal", perResult<1>, kOne},
    {"", "Erf", perResult<1>, kOne},
    {"", "Exp", perResult<1>, kOne},
    {"", "Floor", perResult<1>, kOne},
    {"", "Greater", perResult<1>, kOne},
    {"", "GreaterOrEqual", perResult<1>, kOne},
    {"", "IsInf", perResult<1>, kOne},
    {"", "IsNaN", perResult<1>, kOne},
    {"", "Less", perResult<1>, kOne},
    {"", "LessOrEqual", perResult<1>, kOne},
    {"", "Log", perResult<1>, kOne},
    {"", "Max", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Mean", meanOfOperands, "1 per element and operand"},
    {"", "Min", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Mod", perResult<1>, kOne},
    {"", "Mul", perResult<1>, kOne},
    {"", "Neg", perResult<1>, kOne},
    {"", "Not", perResult<1>, kOne},
    {"", "Or", perResult<1>, kOne},
    {"", "Pow", perResult<1>, kOne},
    {"", "Reciprocal", perResult<1>, kOne},
    {"", "Round", perResult<1>, kOne},
    {"", "Sign", perResult<1>, kOne},
    {"", "Sin", perResult<1>, kOne},
    {"", "Sinh", perResult<1>, kOne},
    {"", "Sqrt", perResult<1>, kOne},
    {"", "Sub", perResult<1>, kOne},
    {"", "Sum", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Tan", perResult<1>, kOne},
    {"", "Where", perResult<1>, kOne},
    {"", "Xor", perResult<1>, kOne},
};

}  // namespace

std::span<const OperatorRow> elementwiseRows() { return kRows; }

}  // namespace amdahlc
