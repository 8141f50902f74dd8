#include "ir/expression/leaves.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/onnx_schemas/operators.h"

namespace amdahlc::expression {
namespace {

Value ofOne(const std::string& text) { return Value::of(std::string_view(text)); }
Value ofOne(int64_t number) { return Value::of(number); }
Value ofOne(double number) { return Value::of(number); }

/// Tensors of one element are numbers.
Value ofOne(const ir::TensorConstant& tensor) {
  if (tensor.ints && tensor.ints->size() == 1) return Value::of(tensor.ints->front());
  if (tensor.floats && tensor.floats->size() == 1) return Value::of(tensor.floats->front());
  return Value::unknown();
}

Value ofOne(const ir::Type&) { return Value::unknown(); }
Value ofOne(const std::vector<ir::Type>&) { return Value::unknown(); }
Value ofOne(const std::vector<ir::TensorConstant>&) { return Value::unknown(); }

template <class Item>
Value ofOne(const std::vector<Item>& items) {
  std::vector<Value> values;
  for (const Item& item : items) values.push_back(ofOne(item));
  return Value::list(std::move(values));
}

}  // namespace

const ir::AttributeValue* SchemaDefaults::attribute(ir::OpId op, std::string_view name) {
  const ir::Op& source = module_.ops[op];
  if (const ir::Attribute* given = source.attribute(name)) return &given->value;
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.type == source.type && entry.domain == source.domain && entry.name == name;
  });
  const std::string_view domain = module_.text(source.domain);
  const Entry& entry =
      known != entries_.end()
          ? *known
          : entries_.emplace_back(Entry{
                source.domain, source.type, std::string(name),
                ir::onnx_schemas::attributeDefault(domain, module_.text(source.type), module_.opset(domain), name)});
  return entry.value ? &*entry.value : nullptr;
}

Value attributeValue(const MatchLeaves& leaves, ir::OpId op, std::string_view name) {
  if (!leaves.module.ops.contains(op)) return Value::unknown();
  const ir::AttributeValue* value = leaves.defaults.attribute(op, name);
  return value ? std::visit([](const auto& held) { return ofOne(held); }, *value) : Value::unknown();
}

}  // namespace amdahlc::expression
