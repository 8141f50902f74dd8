#include "passes/fuse/constants.h"

#include <cmath>

#include "passes/fuse/match_scope.h"

namespace amdahlc {

ConstantView constantOf(const ir::Module& module, ir::ValueId id) {
  if (!module.values.contains(id)) return {};
  const ir::Value& value = module.values[id];
  const auto ofTensor = [](const ir::TensorConstant& tensor) {
    ConstantView view{ConstantView::Kind::Tensor, &tensor, {}, {}};
    if (tensor.ints) view.ints = *tensor.ints;
    if (tensor.floats) view.floats = *tensor.floats;
    return view;
  };
  if (value.kind == ir::Value::Kind::Constant) {
    return value.constant ? ofTensor(*value.constant) : ConstantView{ConstantView::Kind::Opaque, nullptr, {}, {}};
  }
  if (value.kind != ir::Value::Kind::Result || !module.ops.contains(value.producer)) return {};
  const ir::Op& op = module.ops[value.producer];
  if (module.text(op.type) != "Constant" || (!op.domain.empty() && module.text(op.domain) != "ai.onnx")) return {};
  for (const ir::Attribute& attribute : op.attributes) {
    if (const auto* tensor = std::get_if<ir::TensorConstant>(&attribute.value)) return ofTensor(*tensor);
    if (const auto* integer = std::get_if<int64_t>(&attribute.value))
      return {ConstantView::Kind::Integers, nullptr, {integer, 1}, {}};
    if (const auto* real = std::get_if<double>(&attribute.value))
      return {ConstantView::Kind::Floats, nullptr, {}, {real, 1}};
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&attribute.value))
      return {ConstantView::Kind::Integers, nullptr, *integers, {}};
    if (const auto* reals = std::get_if<std::vector<double>>(&attribute.value))
      return {ConstantView::Kind::Floats, nullptr, {}, *reals};
  }
  return {ConstantView::Kind::Opaque, nullptr, {}, {}};
}

bool constantEquals(const ConstantView& constant, double expected) {
  // sqrt(2) printed by an exporter in float16 is off by 3e-4.
  constexpr double kTolerance = 1e-3;
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    const double element = constant.element(i);
    if (element != expected &&
        !(std::isfinite(expected) && std::abs(element - expected) <= kTolerance * std::abs(expected)))
      return false;
  }
  return constant.knownElements() > 0;
}

bool constantSatisfies(const expression::Expression& test, const ConstantView& constant, ir::ValueId value,
                       MatchScope scope) {
  scope.testConstant(value);
  if (!test.testsElements()) return test.holds(scope.leaves());
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    scope.testElement(constant.element(i));
    if (!test.holds(scope.leaves())) return false;
  }
  return constant.knownElements() > 0;
}

}  // namespace amdahlc
