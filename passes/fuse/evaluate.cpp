// Evaluation of compiled expressions: how values of different kinds compare and compute.
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/fuse/expression.h"

namespace amdahlc {

namespace {

using Node = Expression::Node;
using Truth = Expression::Truth;
using Kind = ir::Expr::Kind;

/// What a subexpression evaluates to. `Symbol` is a symbolic dimension: equal to itself, otherwise unknown.
struct Scalar {
  enum class Type : uint8_t { Unknown, Bool, Int, Float, String, Symbol, ElementType, List } type = Type::Unknown;
  int64_t integer = 0;  ///< Bool, Int, ElementType
  double real = 0;
  std::string_view text;
  std::vector<Scalar> items;

  static Scalar unknown() { return {}; }
  static Scalar of(bool value) { return {Type::Bool, value, 0, {}, {}}; }
  static Scalar of(int64_t value) { return {Type::Int, value, 0, {}, {}}; }
  static Scalar of(double value) { return {Type::Float, 0, value, {}, {}}; }
  static Scalar of(std::string_view value) { return {Type::String, 0, 0, value, {}}; }
  static Scalar of(Truth value) { return value == Truth::Unknown ? unknown() : of(value == Truth::True); }
  bool isNumber() const { return type == Type::Int || type == Type::Float; }
  double number() const { return type == Type::Int ? static_cast<double>(integer) : real; }
};

Truth truthOf(bool value) { return value ? Truth::True : Truth::False; }
Truth negate(Truth value) { return value == Truth::Unknown ? value : truthOf(value == Truth::False); }

/// Attributes and constants are float32 in ONNX: numbers that float32 cannot tell apart are equal.
bool nearlyEqual(double a, double b) {
  return a == b || std::abs(a - b) <= std::numeric_limits<float>::epsilon() * std::max(std::abs(a), std::abs(b));
}

class Evaluator {
 public:
  Evaluator(const std::vector<Node>& nodes, const ExpressionScope& scope) : nodes_(nodes), scope_(scope) {}

  Scalar evaluate(uint32_t index) const {
    const Node& node = nodes_[index];
    switch (node.kind) {
      case Kind::And:
      case Kind::Or:
        return Scalar::of(connective(node));
      case Kind::Not:
        return Scalar::of(negate(truth(node.arguments[0])));
      case Kind::Eq:
        return Scalar::of(equal(evaluate(node.arguments[0]), node.arguments[1]));
      case Kind::Ne:
        return Scalar::of(negate(equal(evaluate(node.arguments[0]), node.arguments[1])));
      case Kind::Lt:
      case Kind::Le:
      case Kind::Gt:
      case Kind::Ge:
        return Scalar::of(ordered(node));
      case Kind::In:
        return Scalar::of(membership(node));
      case Kind::Add:
      case Kind::Sub:
      case Kind::Mul:
      case Kind::Div:
      case Kind::Mod:
        return arithmetic(node.kind, evaluate(node.arguments[0]), evaluate(node.arguments[1]));
      case Kind::Neg:
        return arithmetic(Kind::Sub, Scalar::of(int64_t{0}), evaluate(node.arguments[0]));
      case Kind::Call:
        return call(node);
      case Kind::Name:
        return leaf(node);
      case Kind::Int:
        return Scalar::of(node.integer);
      case Kind::Float:
        return Scalar::of(node.real);
      case Kind::String:
        return Scalar::of(std::string_view(node.text));
      case Kind::Bool:
        return Scalar::of(node.integer != 0);
      case Kind::Regex:
        return Scalar::unknown();  // only as the right side of a comparison
    }
    return Scalar::unknown();
  }

  Truth truth(uint32_t index) const {
    const Scalar value = evaluate(index);
    if (value.type == Scalar::Type::Bool || value.type == Scalar::Type::Int) return truthOf(value.integer != 0);
    return Truth::Unknown;
  }

 private:
  Truth connective(const Node& node) const {
    const Truth decisive = node.kind == Kind::And ? Truth::False : Truth::True;
    Truth result = negate(decisive);
    for (const uint32_t argument : node.arguments) {
      const Truth value = truth(argument);
      if (value == decisive) return decisive;
      if (value == Truth::Unknown) result = Truth::Unknown;
    }
    return result;
  }

  Truth equal(const Scalar& left, uint32_t rightIndex) const {
    const Node& right = nodes_[rightIndex];
    if (right.kind != Kind::Regex) return equal(left, evaluate(rightIndex));
    if (left.type != Scalar::Type::String || !right.regex->ok()) return Truth::Unknown;
    return truthOf(re2::RE2::PartialMatch(re2::StringPiece(left.text.data(), left.text.size()), *right.regex));
  }

  static Truth equal(const Scalar& a, const Scalar& b) {
    using Type = Scalar::Type;
    if (a.type == Type::Unknown || b.type == Type::Unknown) return Truth::Unknown;
    if (a.type == Type::List && b.type == Type::List) {
      if (a.items.size() != b.items.size()) return Truth::False;
      Truth result = Truth::True;
      for (size_t i = 0; i < a.items.size(); ++i) {
        const Truth item = equal(a.items[i], b.items[i]);
        if (item == Truth::False) return item;
        if (item == Truth::Unknown) result = item;
      }
      return result;
    }
    if (a.type == Type::Int && b.type == Type::Int) return truthOf(a.integer == b.integer);
    if (a.isNumber() && b.isNumber()) return truthOf(nearlyEqual(a.number(), b.number()));
    if (a.type == Type::Symbol && b.type == Type::Symbol) return a.text == b.text ? Truth::True : Truth::Unknown;
    if (a.type == Type::String && b.type == Type::String) return truthOf(a.text == b.text);
    // `to` of a Cast is the number of an element type; `type(x) == "float16"` is as good as the bare name.
    const auto hasType = [](const Scalar& value) { return value.type == Type::ElementType; };
    if (hasType(a) || hasType(b)) {
      const Scalar& typed = hasType(a) ? a : b;
      const Scalar& other = hasType(a) ? b : a;
      if (hasType(other) || other.type == Type::Int) return truthOf(typed.integer == other.integer);
      if (other.type == Type::String)
        return truthOf(ir::name(static_cast<ir::ElementType>(typed.integer)) == other.text);
    }
    const auto isTruth = [](const Scalar& value) { return value.type == Type::Bool || value.type == Type::Int; };
    if (isTruth(a) && isTruth(b)) return truthOf((a.integer != 0) == (b.integer != 0));
    return Truth::Unknown;
  }

  Truth ordered(const Node& node) const {
    const Scalar a = evaluate(node.arguments[0]);
    const Scalar b = evaluate(node.arguments[1]);
    if (!a.isNumber() || !b.isNumber()) return Truth::Unknown;
    const bool integers = a.type == Scalar::Type::Int && b.type == Scalar::Type::Int;
    const bool same = integers ? a.integer == b.integer : nearlyEqual(a.number(), b.number());
    const bool less = integers ? a.integer < b.integer : !same && a.number() < b.number();
    if (std::isnan(a.number()) || std::isnan(b.number())) return Truth::False;
    switch (node.kind) {
      case Kind::Lt:
        return truthOf(less);
      case Kind::Le:
        return truthOf(less || same);
      case Kind::Gt:
        return truthOf(!less && !same);
      default:
        return truthOf(!less);
    }
  }

  Truth membership(const Node& node) const {
    const Scalar tested = evaluate(node.arguments[0]);
    Truth result = Truth::False;
    for (size_t i = 1; i < node.arguments.size(); ++i) {
      const Truth item = equal(tested, node.arguments[i]);
      if (item == Truth::True) return item;
      if (item == Truth::Unknown) result = item;
    }
    return result;
  }

  static Scalar arithmetic(Kind kind, const Scalar& a, const Scalar& b) {
    if (!a.isNumber() || !b.isNumber()) return Scalar::unknown();
    if (a.type == Scalar::Type::Int && b.type == Scalar::Type::Int) {
      int64_t result = 0;
      bool overflow = false;
      switch (kind) {
        case Kind::Add:
          overflow = __builtin_add_overflow(a.integer, b.integer, &result);
          break;
        case Kind::Sub:
          overflow = __builtin_sub_overflow(a.integer, b.integer, &result);
          break;
        case Kind::Mul:
          overflow = __builtin_mul_overflow(a.integer, b.integer, &result);
          break;
        default:
          if (b.integer == 0 || (b.integer == -1 && a.integer == std::numeric_limits<int64_t>::min()))
            return Scalar::unknown();
          // 7 / 2 is 3.5: a rule means the number, not C's quotient.
          if (kind == Kind::Div && a.integer % b.integer != 0) return Scalar::of(a.number() / b.number());
          result = kind == Kind::Div ? a.integer / b.integer : a.integer % b.integer;
      }
      return overflow ? Scalar::unknown() : Scalar::of(result);
    }
    const double x = a.number();
    const double y = b.number();
    switch (kind) {
      case Kind::Add:
        return Scalar::of(x + y);
      case Kind::Sub:
        return Scalar::of(x - y);
      case Kind::Mul:
        return Scalar::of(x * y);
      case Kind::Div:
        return y == 0 ? Scalar::unknown() : Scalar::of(x / y);
      default:
        return y == 0 ? Scalar::unknown() : Scalar::of(std::fmod(x, y));
    }
  }

  /// The module value that an argument names; kNone where it is omitted, unbound, or no value.
  ir::ValueId valueOf(const Node& node, size_t argument) const {
    if (argument >= node.arguments.size()) return ir::kNone;
    const Node& named = nodes_[node.arguments[argument]];
    if (named.kind != Kind::Name || named.leaf != Node::Leaf::Value) return ir::kNone;
    const ir::ValueId value = named.slot == Expression::kIt ? scope_.it : scope_.bound[named.slot];
    return scope_.module.values.contains(value) ? value : ir::ValueId(ir::kNone);
  }

  Scalar leaf(const Node& node) const {
    switch (node.leaf) {
      case Node::Leaf::Value: {
        const ir::ValueId value = node.slot == Expression::kIt ? scope_.it : scope_.bound[node.slot];
        return scope_.module.values.contains(value) ? scalarValue(value) : Scalar::unknown();
      }
      case Node::Leaf::Element:
        return Scalar::of(scope_.itElement);
      case Node::Leaf::Attribute:
        return scope_.op == ir::kNone ? Scalar::unknown() : attribute(scope_.op, node.text);
      case Node::Leaf::ElementType:
        return elementType(node.integer);
      default:
        return Scalar::unknown();
    }
  }

  static Scalar elementType(int64_t number) { return {Scalar::Type::ElementType, number, 0, {}, {}}; }

  Scalar scalarValue(ir::ValueId value) const {
    const ConstantView constant = constantOf(scope_.module, value);
    if (constant.knownElements() != 1) return Scalar::unknown();
    return constant.ints.empty() ? Scalar::of(constant.floats[0]) : Scalar::of(constant.ints[0]);
  }

  Scalar attribute(ir::OpId op, std::string_view name) const {
    const ir::AttributeValue* value = scope_.defaults.attribute(op, name);
    if (!value) return Scalar::unknown();
    const auto list = [](const auto& items) {
      Scalar result{Scalar::Type::List, 0, 0, {}, {}};
      for (const auto& item : items) result.items.push_back(Scalar::of(item));
      return result;
    };
    if (const auto* integer = std::get_if<int64_t>(value)) return Scalar::of(*integer);
    if (const auto* real = std::get_if<double>(value)) return Scalar::of(*real);
    if (const auto* text = std::get_if<std::string>(value)) return Scalar::of(std::string_view(*text));
    if (const auto* integers = std::get_if<std::vector<int64_t>>(value)) return list(*integers);
    if (const auto* reals = std::get_if<std::vector<double>>(value)) return list(*reals);
    if (const auto* tensor = std::get_if<ir::TensorConstant>(value)) {
      if (tensor->ints && tensor->ints->size() == 1) return Scalar::of(tensor->ints->front());
      if (tensor->floats && tensor->floats->size() == 1) return Scalar::of(tensor->floats->front());
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(value)) {
      Scalar result{Scalar::Type::List, 0, 0, {}, {}};
      for (const auto& item : *texts) result.items.push_back(Scalar::of(std::string_view(item)));
      return result;
    }
    return Scalar::unknown();
  }

  static Scalar dimension(const ir::Dim& dim) {
    if (dim.isNumber()) return Scalar::of(dim.value);
    if (dim.isUnknown()) return Scalar::unknown();
    return {Scalar::Type::Symbol, 0, 0, dim.symbol, {}};
  }

  Truth sameShape(const ir::Type& a, const ir::Type& b) const {
    if (!a.ranked || !b.ranked) return Truth::Unknown;
    if (a.dims.size() != b.dims.size()) return Truth::False;
    Truth result = Truth::True;
    for (size_t i = 0; i < a.dims.size(); ++i) {
      const Truth same = equal(dimension(a.dims[i]), dimension(b.dims[i]));
      if (same == Truth::False) return same;
      if (same == Truth::Unknown) result = same;
    }
    return result;
  }

  Scalar call(const Node& node) const {
    using Function = Node::Function;
    if (node.function == Function::List) {
      Scalar result{Scalar::Type::List, 0, 0, {}, {}};
      for (const uint32_t argument : node.arguments) result.items.push_back(evaluate(argument));
      return result;
    }
    if (node.function == Function::Opset) {
      const std::string domain = node.arguments.empty() ? std::string() : nodes_[node.arguments[0]].text;
      const int64_t version = scope_.module.opset(domain == "ai.onnx" ? std::string() : domain);
      return version > 0 ? Scalar::of(version) : Scalar::unknown();
    }
    const ir::ValueId id = valueOf(node, 0);
    if (id == ir::kNone) return Scalar::unknown();
    const ir::Value& value = scope_.module.values[id];
    switch (node.function) {
      case Function::Rank:
        return value.type.ranked ? Scalar::of(static_cast<int64_t>(value.type.dims.size())) : Scalar::unknown();
      case Function::Type:
        return value.type.isTensor() && value.type.element != ir::ElementType::Undefined
                   ? elementType(static_cast<int64_t>(value.type.element))
                   : Scalar::unknown();
      case Function::Dim: {
        if (!value.type.ranked || node.arguments.size() < 2) return Scalar::unknown();
        const Scalar index = evaluate(node.arguments[1]);
        if (index.type != Scalar::Type::Int) return Scalar::unknown();
        const auto rank = static_cast<int64_t>(value.type.dims.size());
        const int64_t at = index.integer < 0 ? index.integer + rank : index.integer;
        return at >= 0 && at < rank ? dimension(value.type.dims[static_cast<size_t>(at)]) : Scalar::unknown();
      }
      case Function::Elements: {
        const auto count = value.type.elementCount();
        return count ? Scalar::of(*count) : Scalar::unknown();
      }
      case Function::Bytes:
        return value.byteSize ? Scalar::of(*value.byteSize) : Scalar::unknown();
      case Function::Constant:
        return Scalar::of(static_cast<bool>(constantOf(scope_.module, id)));
      case Function::Value:
        return scalarValue(id);
      case Function::Uses:
        return Scalar::of(static_cast<int64_t>(scope_.uses.useCount(id)) + scope_.uses.isGraphOutput(id));
      case Function::SameShape: {
        const ir::ValueId other = valueOf(node, 1);
        return other == ir::kNone ? Scalar::unknown()
                                  : Scalar::of(sameShape(value.type, scope_.module.values[other].type));
      }
      case Function::Same: {
        const ir::ValueId other = valueOf(node, 1);
        return other == ir::kNone ? Scalar::unknown() : Scalar::of(id == other);
      }
      case Function::Attr: {
        if (value.kind != ir::Value::Kind::Result || !scope_.module.ops.contains(value.producer) ||
            node.arguments.size() < 2)
          return Scalar::unknown();
        return attribute(value.producer, nodes_[node.arguments[1]].text);
      }
      case Function::Scope:
        return scope_.module.ops.contains(value.producer)
                   ? Scalar::of(scope_.module.text(scope_.module.ops[value.producer].scope))
                   : Scalar::unknown();
      default:
        return Scalar::unknown();
    }
  }

  const std::vector<Node>& nodes_;
  const ExpressionScope& scope_;
};

}  // namespace

Truth Expression::evaluate(const ExpressionScope& scope) const { return Evaluator(nodes_, scope).truth(root_); }

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

bool constantSatisfies(const Expression& test, const ConstantView& constant, ir::ValueId value, ExpressionScope scope) {
  scope.it = value;
  if (!test.testsElements()) return test.holds(scope);
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    scope.itElement = constant.element(i);
    if (!test.holds(scope)) return false;
  }
  return constant.knownElements() > 0;
}

}  // namespace amdahlc
