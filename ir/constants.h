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

/// The constant of a value, if it is one.
struct ConstantView {
  bool isConstant = false;
  /// The elements, of one of both types, where the data is kept.
  std::optional<std::span<const int64_t>> ints = {};
  std::optional<std::span<const double>> floats = {};

  explicit operator bool() const { return isConstant; }
  /// Number of elements with known values; 0 if the data is not kept.
  size_t knownElements() const { return ints ? ints->size() : floats ? floats->size() : 0; }
  double element(size_t index) const { return ints ? static_cast<double>((*ints)[index]) : (*floats)[index]; }
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
