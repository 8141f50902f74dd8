/// Constants of the graph and the tests that patterns put to them.
#pragma once

#include <cstdint>
#include <span>

#include "ir/expression/expression.h"
#include "ir/module.h"

namespace amdahlc {

class MatchScope;

/// The constant that a value is: an initializer, a folded constant, or the attribute of a live `Constant` operator.
/// `Kind::None`: not a constant.
struct ConstantView {
  enum class Kind : uint8_t { None, Tensor, Integers, Floats, Opaque };
  Kind kind = Kind::None;
  const ir::TensorConstant* tensor = nullptr;
  std::span<const int64_t> ints;
  std::span<const double> floats;

  explicit operator bool() const { return kind != Kind::None; }
  /// Number of elements whose value is known; 0 where the data is not kept.
  size_t knownElements() const { return ints.size() + floats.size(); }
  double element(size_t index) const { return ints.empty() ? floats[index] : static_cast<double>(ints[index]); }
};
ConstantView constantOf(const ir::Module& module, ir::ValueId value);

/// Whether every element equals `expected` within 1e-3 relative; false for unknown data.
bool constantEquals(const ConstantView& constant, double expected);

/// Whether `test` accepts `constant`, the value `value`. A test of elements must accept each known element, and there
/// must be one.
bool constantSatisfies(const expression::Expression& test, const ConstantView& constant, ir::ValueId value,
                       MatchScope scope);

}  // namespace amdahlc
