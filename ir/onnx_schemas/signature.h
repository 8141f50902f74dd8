/// The schema of an operator for people: names of inputs, outputs and attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amdahlc::ir::onnx_schemas {

/// An input or an output.
struct FormalParameter {
  enum class Kind : uint8_t { Single, Optional, Variadic };
  std::string name;
  /// A type variable of the schema, `T`, or a type, `tensor(int64)`.
  std::string type;
  Kind kind = Kind::Single;
};

struct AttributeSignature {
  std::string name;
  /// As ONNX names it: `int`, `floats`, `string`, `graph`.
  std::string type;
  bool required = false;
  /// The default as rules write it; nullopt if there is none, or if it is no number, string or list.
  std::optional<std::string> defaultText;
};

/// The newest version of an operator.
struct OperatorSignature {
  /// The opset that introduced this version.
  int64_t since = 1;
  /// The opsets that introduced its versions, ascending.
  std::vector<int64_t> versions;
  bool deprecated = false;
  std::vector<FormalParameter> inputs;
  std::vector<FormalParameter> outputs;
  /// Sorted by name.
  std::vector<AttributeSignature> attributes;
};

/// nullopt for an operator without a schema.
std::optional<OperatorSignature> operatorSignature(const std::string& domain, const std::string& type);

}  // namespace amdahlc::ir::onnx_schemas
