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
    {"",
     "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
     "Ceil Cos Cosh Div Equal Erf Exp Floor Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Log Mod "
     "Mul Neg Not Or Pow Reciprocal Round Sign Sin Sinh Sqrt Sub Tan Where Xor",
     perResult<1>, kOnePerElement},
    {"", "Cast", keep, "none"},
    {"", "CastLike", convert, "none", "of the second operand none"},
    {"", "Clip", clip, "1 per element and bound"},
    {"", "Max Min Sum", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Mean", meanOfOperands, "1 per element and operand"},
};

}  // namespace

std::span<const OperatorRow> elementwiseRows() { return kElementwiseRows; }

}  // namespace amdahlc
