/// What is known of values before the run, in three notions:
///
///   constants      are written in the model: initializers, folded constants, results of `Constant` operators.
///   known values   are constants, and what follows from constants alone, or from constants and the shapes of the
///                  inputs (`KnownFrom`). They may be tensors of any size, which a framework may compute in every run
///                  all the same. `OperatorGraph` has this of each value.
///   host values    are scalars and vectors that operators of shape arithmetic compute from shapes and small
///                  constants, so that a framework has them on the host. Their elements are followed (`HostValues`),
///                  and `simplify` folds them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/module.h"
#include "ir/shape_arithmetic.h"

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

/// The tensor of a `Constant` operator; nullopt for other operators and for one without a value or a result.
std::optional<TensorConstant> constantOperatorTensor(const Module& module, const Op& op);

/// From what a value is known, ascending: what is known from constants alone is also known from constants and shapes.
enum class KnownFrom : uint8_t {
  /// The run computes it: it is not known before.
  Run,
  /// It is computed from constants and results of `Shape` and `Size` alone.
  Shapes,
  /// It is computed from constants alone.
  Constants,
  /// It is a constant.
  Model,
};

/// Whether the operator only tells the shape of its operand: `Shape`, `Size`.
bool tellsShape(std::string_view operatorType);

/// From what the results of an operator are known, given that of its operands. The run computes those of a random
/// operator, and of one with a body.
KnownFrom resultsKnownFrom(const Module& module, const Op& op, const IdVector<ValueId, KnownFrom>& known);

/// Whether an operator may be removed because its result is a host value.
enum class HostUse : uint8_t {
  /// It is a tensor on the device, or may be one.
  Never,
  /// Only if all its uses are shape operands. Otherwise the framework computes such a tensor on the device.
  ShapeOnly,
  /// A scalar, or a vector of integers, computed from shapes and constants alone.
  Always,
};

/// What a host value is computed from. The last applicable enumerator counts.
enum class HostOrigin : uint8_t {
  /// Constants in the framework's source code: `Constant` operators, initializers other than floats.
  Literal,
  /// An initializer of one float. It may be a parameter of the module, with which a kernel computes.
  Weight,
  /// A shape: every result computed from it is on the host.
  Shape,
};

/// The known facts about one value.
struct HostValue {
  HostUse use = HostUse::Never;
  HostOrigin origin = HostOrigin::Literal;
  /// Rank at most 1 and at most `kMaxHostElements` elements; empty where the length is unknown.
  std::optional<HostElements> elements;
};

/// Evaluates shape arithmetic. The caller visits operators in order of execution, and calls `forward` in between for
/// values that are equal.
class HostValues {
 public:
  /// Reads the module's constants. With `types`, values have those instead of their own: the shapes of a run.
  explicit HostValues(const Module& module, const IdVector<ValueId, Type>* types = nullptr);
  /// Computes the operator's results from the known facts about its operands.
  void evaluate(const Op& op);
  /// `to` is the same as `from`.
  void forward(ValueId from, ValueId to) { values_[to] = values_[from]; }
  /// Nothing is known of the value, even if it is a constant.
  void forget(ValueId value) { values_[value] = {}; }
  const HostValue& of(ValueId value) const { return values_[value]; }

 private:
  const Type& typeOf(ValueId value) const { return types_ ? (*types_)[value] : module_.values[value].type; }

  const Module& module_;
  const IdVector<ValueId, Type>* types_;
  IdVector<ValueId, HostValue> values_;
};

/// True for operands that give sizes or axes, not data: `Reshape`'s second, `Slice`'s last four, ...
bool isShapeOperand(const Module& module, const Op& op, uint32_t operand);

}  // namespace amdahlc::ir
