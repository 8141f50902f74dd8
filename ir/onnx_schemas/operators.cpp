#include "ir/onnx_schemas/operators.h"

#include <algorithm>
#include <limits>

#include "ir/onnx_schemas/proto_values.h"
#include "ir/onnx_schemas/registry.h"

namespace amdahlc::ir::onnx_schemas {
namespace {

uint32_t bounded(int count) {
  return count < 0 || count == std::numeric_limits<int>::max() ? std::numeric_limits<uint32_t>::max()
                                                               : static_cast<uint32_t>(count);
}

AttributeKind kindOf(onnx::AttributeProto::AttributeType type) {
  switch (type) {
    case onnx::AttributeProto::INT:
      return AttributeKind::Integer;
    case onnx::AttributeProto::FLOAT:
      return AttributeKind::Float;
    case onnx::AttributeProto::STRING:
      return AttributeKind::String;
    case onnx::AttributeProto::INTS:
    case onnx::AttributeProto::FLOATS:
    case onnx::AttributeProto::STRINGS:
      return AttributeKind::List;
    default:
      return AttributeKind::Other;
  }
}

}  // namespace

const onnx::OpSchema* findSchema(const std::string& domain, const std::string& type, int version) {
  return onnx::OpSchemaRegistry::Schema(type, version, domain);
}

void registerSchemas() { findSchema("", "Identity", std::numeric_limits<int>::max()); }

std::vector<OperatorVersion> operatorVersions(const std::string& domain, const std::string& type) {
  std::vector<OperatorVersion> versions;
  for (int version = std::numeric_limits<int>::max(); version > 0;) {
    const auto* schema = findSchema(domain, type, version);
    if (schema == nullptr) break;
    OperatorVersion& one = versions.emplace_back();
    one.since = schema->SinceVersion();
    one.deprecated = schema->Deprecated();
    one.minOperands = static_cast<uint32_t>(schema->min_input());
    one.maxOperands = bounded(schema->max_input());
    one.maxResults = bounded(schema->max_output());
    for (const auto& [name, attribute] : schema->attributes())
      one.attributes.emplace_back(name, kindOf(attribute.type));
    version = schema->SinceVersion() - 1;
  }
  return versions;
}

const std::set<std::pair<std::string, std::string>>& operatorNames() {
  // The library registers no schema after its first use.
  static const auto names = [] {
    std::set<std::pair<std::string, std::string>> found;
    for (const auto& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history())
      found.emplace(schema.domain(), schema.Name());
    for (const Contributed& row : contributedOperators())
      for (const std::string_view type : row.types) found.emplace(row.domain, type);
    return found;
  }();
  return names;
}

int64_t newestOpset(std::string_view domain) {
  const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto found = known.find(std::string(domain));
  return found == known.end() ? 0 : found->second.second;
}

std::optional<AttributeValue> attributeDefault(std::string_view domain, std::string_view type, int64_t version,
                                               std::string_view name) {
  // A model without an import for the domain (hand-written IR) uses the newest operators.
  constexpr int kNewest = std::numeric_limits<int>::max();
  const int known = version > 0 && version < kNewest ? static_cast<int>(version) : kNewest;
  const auto* schema = findSchema(std::string(domain), std::string(type), known);
  if (schema == nullptr) return std::nullopt;
  const auto found = schema->attributes().find(std::string(name));
  return found == schema->attributes().end() ? std::nullopt : attributeValue(found->second.default_value);
}

}  // namespace amdahlc::ir::onnx_schemas
