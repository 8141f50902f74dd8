/// The tables of operators by family. One more operator is one more row in one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "passes/roofline/operator_work.h"

namespace amdahlc {

std::span<const OperatorRow> elementwiseRows();
std::span<const OperatorRow> movementRows();
std::span<const OperatorRow> reductionRows();
std::span<const OperatorRow> productRows();
std::span<const OperatorRow> attentionRows();
std::span<const OperatorRow> transformRows();

/// Operations for each element of the result: `kFlops`, and one for each of the operands `kOptional` that is there.
template <int64_t kFlops, size_t... kOptional>
void perResult(OperatorWork& work) {
  work.vector(Amount((kFlops + ... + int64_t{work.has(kOptional)})) * work.resultElements());
}
/// The same for each element of the first operand.
template <int64_t kFlops, size_t... kOptional>
void perElement(OperatorWork& work) {
  work.vector(Amount((kFlops + ... + int64_t{work.has(kOptional)})) * work.elements(0));
}

/// Operations per element of an activation, by the name of its operator; nullopt for others.
std::optional<int64_t> activationFlops(std::string_view type);

/// The elements of a matrix in or below the diagonal `diagonal` (0 is the main one, 1 the one above).
Amount lowerTriangle(Amount rows, Amount columns, int64_t diagonal);

}  // namespace amdahlc
