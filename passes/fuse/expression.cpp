#include "passes/fuse/expression.h"

#include "passes/fuse/schema_defaults.h"

#include <re2/re2.h>

#include <array>
#include <optional>
#include <utility>

namespace amdahlc {

using Kind = ir::Expr::Kind;

namespace {

/// Deeper trees count as unknown: neither the language nor the text form can write them.
constexpr unsigned kMaxDepth = 1000;

using Function = Expression::Node::Function;
constexpr std::array<std::pair<std::string_view, Function>, 14> kFunctions{{
    {"rank", Function::Rank},
    {"type", Function::Type},
    {"dim", Function::Dim},
    {"elements", Function::Elements},
    {"bytes", Function::Bytes},
    {"constant", Function::Constant},
    {"value", Function::Value},
    {"uses", Function::Uses},
    {"same_shape", Function::SameShape},
    {"same", Function::Same},
    {"opset", Function::Opset},
    {"attr", Function::Attr},
    {"scope", Function::Scope},
    {"list", Function::List},
}};

Function functionNamed(std::string_view name) {
  for (const auto& [spelling, function] : kFunctions) {
    if (spelling == name) return function;
  }
  return Function::Unknown;
}

bool arityHolds(const Expression::Node& node) {
  switch (node.kind) {
    case Kind::Not:
    case Kind::Neg:
      return node.arguments.size() == 1;
    case Kind::Eq:
    case Kind::Ne:
    case Kind::Lt:
    case Kind::Le:
    case Kind::Gt:
    case Kind::Ge:
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod:
      return node.arguments.size() == 2;
    case Kind::In:
      return !node.arguments.empty();
    default:
      return true;
  }
}

}  // namespace

Expression::Expression(const ir::Expr& source, Names names, const ir::Pattern& pattern) {
  root_ = add(source, names, pattern, false, 0);
}

uint32_t Expression::add(const ir::Expr& source, Names names, const ir::Pattern& pattern, bool argumentOfFunction,
                         unsigned depth) {
  Node node;
  node.kind = source.kind;
  node.integer = source.integer;
  node.real = source.real;
  node.text = source.text;
  if (depth >= kMaxDepth) {
    node.kind = Kind::Name;
    node.leaf = Node::Leaf::Unresolved;
    nodes_.push_back(std::move(node));
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  if (source.kind == Kind::Name) resolveName(node, names, pattern, argumentOfFunction);
  if (source.kind == Kind::Regex) node.regex = std::make_shared<re2::RE2>(source.text, re2::RE2::Quiet);
  const bool call = source.kind == Kind::Call;
  if (call) node.function = functionNamed(source.text);
  const bool takesValue = call && node.function != Function::List;
  for (const ir::Expr& argument : source.args)
    node.arguments.push_back(add(argument, names, pattern, takesValue, depth + 1));
  if (!arityHolds(node)) {
    node.kind = Kind::Name;
    node.leaf = Node::Leaf::Unresolved;
  }
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void Expression::resolveName(Node& node, Names names, const ir::Pattern& pattern, bool argumentOfFunction) {
  if (names == Names::Constant && node.text == "it") {
    node.leaf = argumentOfFunction ? Node::Leaf::Value : Node::Leaf::Element;
    node.slot = kIt;
    testsElements_ |= !argumentOfFunction;
    return;
  }
  for (uint32_t value = 0; names == Names::Values && value < pattern.values.size(); ++value) {
    if (pattern.values[value].name != node.text) continue;
    node.leaf = Node::Leaf::Value;
    node.slot = value;
    values_.push_back(value);
    return;
  }
  if (const auto element = ir::elementTypeFromName(node.text)) {
    node.leaf = Node::Leaf::ElementType;
    node.integer = static_cast<int64_t>(*element);
    return;
  }
  node.leaf = names == Names::Attributes ? Node::Leaf::Attribute : Node::Leaf::Unresolved;
}

const ir::AttributeValue* SchemaDefaults::attribute(ir::OpId op, std::string_view name) {
  const ir::Op& source = module_.ops[op];
  if (const ir::Attribute* given = source.attribute(name)) return &given->value;
  for (const auto& entry : entries_) {
    if (entry->type == source.type && entry->domain == source.domain && entry->name == name) {
      return entry->value ? &*entry->value : nullptr;
    }
  }
  auto entry = std::make_unique<Entry>();
  entry->domain = source.domain;
  entry->type = source.type;
  entry->name = name;
  std::string_view domain = module_.text(source.domain);
  if (domain == "ai.onnx") domain = {};
  entry->value = schemaDefault(domain, module_.text(source.type), module_.opset(domain), name);
  entries_.push_back(std::move(entry));
  return entries_.back()->value ? &*entries_.back()->value : nullptr;
}

}  // namespace amdahlc
