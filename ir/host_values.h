/// Values that the framework computes on the host: shape arithmetic and scalars computed from it.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/constants.h"
#include "ir/module.h"
#include "ir/shape_arithmetic.h"

namespace amdahlc::ir {

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
  /// Reads the module's constants.
  explicit HostValues(const Module& module);
  /// Computes the operator's results from the known facts about its operands.
  void evaluate(const Op& op);
  /// `to` is the same as `from`.
  void forward(ValueId from, ValueId to) { values_[to] = values_[from]; }
  const HostValue& of(ValueId value) const { return values_[value]; }

 private:
  const Module& module_;
  IdVector<ValueId, HostValue> values_;
};

/// True for operands that give sizes or axes, not data: `Reshape`'s second, `Slice`'s last four, ...
bool isShapeOperand(const Module& module, const Op& op, uint32_t operand);

}  // namespace amdahlc::ir
