/// The operators of shape arithmetic, evaluated over partly known elements. One table for what knows ONNX models before
/// the IR exists (data propagation of the import) and for the IR itself (host values).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace amdahlc::ir {

/// Integers up to 64 bits and doubles are both exact in it.
using HostNumber = long double;
static_assert(std::numeric_limits<HostNumber>::digits >= 64);

/// One element of a tensor on the host: a number, or unknown. An unknown element may be a symbol, which operators that
/// only select elements pass on.
class HostElement {
 public:
  HostElement() = default;
  HostElement(HostNumber number) : number_(number) {}
  HostElement(std::optional<HostNumber> number) : number_(number) {}
  /// `id` has a meaning for the caller only.
  static HostElement symbol(uint32_t id) {
    HostElement element;
    element.symbol_ = id;
    return element;
  }

  bool isKnown() const { return number_.has_value(); }
  explicit operator bool() const { return isKnown(); }
  HostNumber operator*() const { return *number_; }
  std::optional<uint32_t> symbol() const { return symbol_; }

 private:
  std::optional<HostNumber> number_;
  std::optional<uint32_t> symbol_;
};

/// In row-major order.
using HostElements = std::vector<HostElement>;

/// Results of more elements than this are not followed.
inline constexpr int64_t kMaxHostElements = TensorConstant::kMaxKeptElements;

/// An operator and the known elements of its operands.
struct ShapeOperation {
  /// Omitted operands, and those of unknown length, are null.
  std::vector<const HostElements*> operands;
  /// Number of elements of the result; nullopt where its type does not say so.
  std::optional<int64_t> count;
  ElementType resultType = ElementType::Undefined;
  /// The value of an attribute; nullopt where the operator does not have it.
  std::function<std::optional<AttributeValue>(std::string_view)> attribute;

  const HostElements* operand(size_t index) const { return index < operands.size() ? operands[index] : nullptr; }
  /// The integer that an operand of one element holds; nullopt if unknown.
  std::optional<int64_t> integer(size_t index) const;
};

/// nullopt: not even the number of elements is known.
using EvaluateShape = std::optional<HostElements> (*)(const ShapeOperation&);

/// A row of the table.
struct ShapeOperator {
  std::string_view type;
  /// Null if the result is on the host but its elements stay unknown.
  EvaluateShape evaluate;
  /// The framework computes such a tensor on the device unless only shapes need it: a range, a filled tensor.
  bool computedOnDevice = false;
};

/// Null for operators that are not shape arithmetic. The table has no `Shape`, `Size` and `Constant`, because these
/// need no operand on the host. Names are those of ONNX's own domain.
const ShapeOperator* shapeOperator(std::string_view type);

/// The results of the operator, each element as its type stores it. Floating point is rounded. An integer that does not
/// fit its type is unknown, because runtimes do not agree on it.
std::optional<HostElements> evaluateShape(const ShapeOperator& row, const ShapeOperation& operation);

/// The number as an integer; nullopt where it is none or does not fit 64 bits.
std::optional<int64_t> asInteger(HostNumber number);

}  // namespace amdahlc::ir
