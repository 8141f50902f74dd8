/// Values that the framework computes on the host: shape arithmetic, and scalars that follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/constants.h"
#include "ir/module.h"
#include "ir/shape_arithmetic.h"

namespace amdahlc::ir {

/// Whether an operator may be removed because its result is a host value.
enum class HostUse : uint8_t {
  /// A tensor of the device, as far as can be told.
  Never,
  /// Only if nothing but shape operands uses it: the framework makes such a tensor on the device where anything else
  /// does.
  ShapeOnly,
  /// A scalar, or a vector of integers, computed from shapes and constants alone.
  Always,
};

/// What a host value is made of, the strongest part last.
enum class HostOrigin : uint8_t {
  /// Constants that the framework's source code spells: `Constant` operators, initializers that are no floats.
  Literal,
  /// An initializer of one float, which is as likely a parameter of the module: a kernel computes with it.
  Weight,
  /// A shape: what is computed with it is on the host, whatever else goes in.
  Shape,
};

/// What is known of one value.
struct HostValue {
  HostUse use = HostUse::Never;
  HostOrigin origin = HostOrigin::Literal;
  /// Rank at most 1 and at most `kMaxHostElements` elements; empty where the length is unknown.
  std::optional<HostElements> elements;
};

/// Evaluates shape arithmetic. The caller visits operators in order of execution, so that it can say in between which
/// values stand for others.
class HostValues {
 public:
  /// Knows the module's constants.
  explicit HostValues(const Module& module);
  /// What the operator's results are, from what is known of its operands.
  void evaluate(const Op& op);
  /// `to` is the same as `from`.
  void forward(ValueId from, ValueId to) { values_[to] = values_[from]; }
  const HostValue& of(ValueId value) const { return values_[value]; }

 private:
  const Module& module_;
  IdVector<ValueId, HostValue> values_;
};

/// True for operands that say how large something is or along which axes, not what is in it: `Reshape`'s second,
/// `Slice`'s last four, ...
bool isShapeOperand(const Module& module, const Op& op, uint32_t operand);

}  // namespace amdahlc::ir
