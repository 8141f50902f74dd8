/// The one definition of constants: initializers, folded constants, and the results of `Constant` operators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/module.h"

namespace amdahlc::ir {

/// Whether the operator is ONNX's `Constant`.
bool isConstantOperator(const Module& module, const Op& op);

/// Whether the value is a constant. The elements may be unknown.
bool isConstant(const Module& module, const Value& value);

/// The constant of a value; `Kind::None` if the value is not a constant.
struct ConstantView {
  enum class Kind : uint8_t { None, Tensor, Integers, Floats, Opaque };
  Kind kind = Kind::None;
  const TensorConstant* tensor = nullptr;
  std::span<const int64_t> ints;
  std::span<const double> floats;

  explicit operator bool() const { return kind != Kind::None; }
  /// Number of elements with known values; 0 if the data is not kept.
  size_t knownElements() const { return ints.size() + floats.size(); }
  double element(size_t index) const { return ints.empty() ? floats[index] : static_cast<double>(ints[index]); }
};
ConstantView constantOf(const Module& module, ValueId value);

/// What counts as known before the run besides constants: nothing, or also the results of `Shape` and `Size`.
enum class KnownFrom : uint8_t { Constants, ConstantsAndShapes };

class OperatorGraph;
/// By value: whether it is known before the run. What an operator without a body computes from known values alone is
/// known, unless it is random.
IdVector<ValueId, bool> knownBeforeRun(const Module& module, const OperatorGraph& graph, KnownFrom from);

/// The tensor of a `Constant` operator; nullopt for other operators and for one without a value or a result.
std::optional<TensorConstant> constantOperatorTensor(const Module& module, const Op& op);

}  // namespace amdahlc::ir
