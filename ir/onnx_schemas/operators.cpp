#include "ir/onnx_schemas/operators.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/onnx_schemas/proto_values.h"
#include "ir/onnx_schemas/registry.h"
#include "support/case_folding.h"

namespace amdahlc::ir::onnx_schemas {
namespace {

using Proto = onnx::AttributeProto;

constexpr Contributed kContributed[] = {
#define AMDAHLC_CONTRIBUTED(DOMAIN, TYPE, INFER) {DOMAIN, TYPE},
#include "ir/onnx_schemas/contributed.def"
};

uint32_t bounded(int count) {
  return count < 0 || count == std::numeric_limits<int>::max() ? std::numeric_limits<uint32_t>::max()
                                                               : static_cast<uint32_t>(count);
}

AttributeKind kindOf(Proto::AttributeType type) {
  switch (type) {
    case Proto::INT:
      return AttributeKind::Integer;
    case Proto::FLOAT:
      return AttributeKind::Float;
    case Proto::STRING:
      return AttributeKind::String;
    case Proto::INTS:
    case Proto::FLOATS:
    case Proto::STRINGS:
      return AttributeKind::List;
    default:
      return AttributeKind::Other;
  }
}

std::vector<SchemaPart> parts(const std::vector<onnx::OpSchema::FormalParameter>& parameters) {
  std::vector<SchemaPart> out;
  for (const auto& one : parameters) {
    const auto option = one.GetOption();
    out.push_back({one.GetName(), one.GetTypeStr()});
    if (option == onnx::OpSchema::Optional) out.back().words += ", optional";
    if (option == onnx::OpSchema::Variadic) out.back().words += ", any number";
  }
  return out;
}

std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

/// The default as rules write it; empty if there is none, or if it is no number, string or list.
std::string defaultOf(const Proto& value) {
  switch (value.type()) {
    case Proto::INT:
      return fmt::format("{}", value.i());
    case Proto::FLOAT:
      return fmt::format("{}", value.f());
    case Proto::STRING:
      return quoted(value.s());
    case Proto::INTS:
      return fmt::format("[{}]", fmt::join(value.ints(), ", "));
    case Proto::FLOATS:
      return fmt::format("[{}]", fmt::join(value.floats(), ", "));
    case Proto::STRINGS: {
      std::vector<std::string> texts;
      for (const std::string& text : value.strings()) texts.push_back(quoted(text));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
    default:
      return {};
  }
}

/// The type as ONNX names it, `int`, `floats`, `graph`, and what else the schema says.
std::string wordsOf(const onnx::OpSchema::Attribute& attribute) {
  std::string words = toLower(Proto::AttributeType_Name(attribute.type));
  if (attribute.required) words += ", required";
  if (const std::string text = defaultOf(attribute.default_value); !text.empty()) words += ", default " + text;
  return words;
}

}  // namespace

std::span<const Contributed> contributedOperators() { return kContributed; }

bool isContributed(std::string_view domain, std::string_view type) {
  return std::ranges::any_of(kContributed,
                             [&](const Contributed& row) { return row.domain == domain && row.type == type; });
}

std::optional<OperatorSchema> operatorSchema(const std::string& domain, const std::string& type) {
  OperatorSchema out;
  int64_t latest = 0;
  for (int version = std::numeric_limits<int>::max(); version > 0;
       version = static_cast<int>(out.versions.back()) - 1) {
    const auto* schema = findSchema(domain, type, version);
    if (schema == nullptr) break;
    const int64_t since = schema->SinceVersion();
    out.versions.push_back(since);
    if (schema->Deprecated()) {
      out.removed = std::max(out.removed, since);
      continue;
    }
    latest = std::max(latest, since);
    out.since = since;
    const auto least = static_cast<uint32_t>(schema->min_input());
    out.minOperands = out.hasSchema ? std::min(out.minOperands, least) : least;
    out.maxOperands = std::max(out.maxOperands, bounded(schema->max_input()));
    out.maxResults = std::max(out.maxResults, bounded(schema->max_output()));
    for (const auto& [name, attribute] : schema->attributes()) {
      const AttributeKind kind = kindOf(attribute.type);
      if (const auto [at, isNew] = out.attributes.emplace(name, kind); !isNew && at->second != kind)
        at->second = AttributeKind::Other;
    }
    out.hasSchema = true;
  }
  // `GroupNormalization` was deprecated in opset 18 and came back in 21.
  if (latest > out.removed) out.removed = 0;
  if (out.versions.empty() && !isContributed(domain, type)) return std::nullopt;
  std::ranges::reverse(out.versions);
  return out;
}

std::optional<OperatorSignature> operatorSignature(const std::string& domain, const std::string& type) {
  const auto* newest = findSchema(domain, type, std::numeric_limits<int>::max());
  if (newest == nullptr) return std::nullopt;
  OperatorSignature out;
  out.since = newest->SinceVersion();
  out.deprecated = newest->Deprecated();
  out.inputs = parts(newest->inputs());
  out.outputs = parts(newest->outputs());
  for (const auto& [name, attribute] : newest->attributes()) out.attributes.push_back({name, wordsOf(attribute)});
  return out;
}

const std::set<std::pair<std::string, std::string>>& operatorNames() {
  // The library registers no schema after its first use.
  static const auto names = [] {
    std::set<std::pair<std::string, std::string>> found;
    for (const auto& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history())
      found.emplace(schema.domain(), schema.Name());
    for (const Contributed& row : contributedOperators()) found.emplace(row.domain, row.type);
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
