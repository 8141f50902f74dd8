#include "ir/onnx_schemas/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "ir/onnx_schemas/registry.h"

namespace amdahlc::ir::onnx_schemas {
namespace {

using Proto = onnx::AttributeProto;

std::vector<FormalParameter> parameters(const std::vector<onnx::OpSchema::FormalParameter>& formal) {
  std::vector<FormalParameter> out;
  for (const auto& one : formal) {
    const auto option = one.GetOption();
    out.push_back({one.GetName(), one.GetTypeStr(),
                   option == onnx::OpSchema::Optional   ? FormalParameter::Kind::Optional
                   : option == onnx::OpSchema::Variadic ? FormalParameter::Kind::Variadic
                                                        : FormalParameter::Kind::Single});
  }
  return out;
}

std::string typeName(Proto::AttributeType type) {
  std::string name = Proto::AttributeType_Name(type);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

std::optional<std::string> defaultOf(const Proto& value) {
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
      return std::nullopt;
  }
}

}  // namespace

std::optional<OperatorSignature> operatorSignature(const std::string& domain, const std::string& type) {
  const auto* newest = findSchema(domain, type, std::numeric_limits<int>::max());
  if (newest == nullptr) return std::nullopt;
  OperatorSignature out;
  out.since = newest->SinceVersion();
  out.deprecated = newest->Deprecated();
  out.inputs = parameters(newest->inputs());
  out.outputs = parameters(newest->outputs());
  for (const auto& [name, attribute] : newest->attributes())
    out.attributes.push_back({name, typeName(attribute.type), attribute.required, defaultOf(attribute.default_value)});
  for (const auto* schema = newest; schema != nullptr; schema = findSchema(domain, type, schema->SinceVersion() - 1)) {
    out.versions.push_back(schema->SinceVersion());
    if (schema->SinceVersion() <= 1) break;
  }
  std::reverse(out.versions.begin(), out.versions.end());
  return out;
}

}  // namespace amdahlc::ir::onnx_schemas
