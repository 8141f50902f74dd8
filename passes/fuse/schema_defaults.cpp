#include "passes/fuse/schema_defaults.h"

#include <onnx/defs/schema.h>

#include <limits>
#include <string>

namespace amdahlc {

std::optional<ir::AttributeValue> schemaDefault(std::string_view domain, std::string_view type, int64_t version,
                                                std::string_view name) {
  // A model without an import for the domain (hand-written IR) uses the newest operators.
  const int known = version > 0 && version < std::numeric_limits<int>::max() ? static_cast<int>(version)
                                                                             : std::numeric_limits<int>::max();
  const auto* schema = onnx::OpSchemaRegistry::Schema(std::string(type), known, std::string(domain));
  if (!schema) return std::nullopt;
  const auto found = schema->attributes().find(std::string(name));
  if (found == schema->attributes().end()) return std::nullopt;
  const onnx::AttributeProto& value = found->second.default_value;
  switch (value.type()) {
    case onnx::AttributeProto::INT:
      return value.i();
    case onnx::AttributeProto::FLOAT:
      return static_cast<double>(value.f());
    case onnx::AttributeProto::STRING:
      return value.s();
    case onnx::AttributeProto::INTS:
      return std::vector<int64_t>(value.ints().begin(), value.ints().end());
    case onnx::AttributeProto::FLOATS:
      return std::vector<double>(value.floats().begin(), value.floats().end());
    case onnx::AttributeProto::STRINGS:
      return std::vector<std::string>(value.strings().begin(), value.strings().end());
    default:
      return std::nullopt;  // UNDEFINED: no default; ONNX has no tensor or graph defaults that a rule could test
  }
}

}  // namespace amdahlc
