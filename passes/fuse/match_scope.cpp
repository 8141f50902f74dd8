#include "passes/fuse/match_scope.h"

#include <utility>

#include "ir/constants.h"
#include "ir/onnx_schemas/operators.h"

namespace amdahlc {

ir::ValueId MatchScope::bound(uint32_t patternValue) const {
  if (patternValue >= bound_.size() || bound_[patternValue] == kUnboundValue) return ir::kNone;
  return bound_[patternValue];
}

const ir::AttributeValue* MatchScope::attribute(ir::OpId op, std::string_view name) const {
  return defaults_.attribute(op, name);
}

bool MatchScope::isConstant(ir::ValueId value) const { return static_cast<bool>(ir::constantOf(module_, value)); }

expression::Value MatchScope::constantElement(ir::ValueId value) const {
  const ir::ConstantView constant = ir::constantOf(module_, value);
  if (constant.knownElements() != 1) return expression::Value::unknown();
  return constant.ints.empty() ? expression::Value::of(constant.floats[0]) : expression::Value::of(constant.ints[0]);
}

int64_t MatchScope::useCount(ir::ValueId value) const {
  return static_cast<int64_t>(graph_.uses(value).size()) + (graph_.isGraphOutput(value) ? 1 : 0);
}

const ir::AttributeValue* SchemaDefaults::attribute(ir::OpId op, std::string_view name) {
  const ir::Op& source = module_.ops[op];
  if (const ir::Attribute* given = source.attribute(name)) return &given->value;
  for (const Entry& entry : entries_) {
    if (entry.type == source.type && entry.domain == source.domain && entry.name == name)
      return entry.value ? &*entry.value : nullptr;
  }
  const std::string_view domain = module_.text(source.domain);
  auto value = ir::onnx_schemas::attributeDefault(domain, module_.text(source.type), module_.opset(domain), name);
  const Entry& added = entries_.emplace_back(Entry{source.domain, source.type, std::string(name), std::move(value)});
  return added.value ? &*added.value : nullptr;
}

}  // namespace amdahlc
