/// What is known of operators without a model: ONNX's schemas, and the names of the operators that ONNX Runtime
/// contributes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace amdahlc::ir::onnx_schemas {

inline constexpr std::string_view kMicrosoft = "com.microsoft";
inline constexpr std::string_view kBlocked = "com.microsoft.nchwc";

/// An operator that ONNX Runtime contributes. The ONNX library has no schema for it.
struct Contributed {
  std::string_view domain;
  std::string_view type;
};
std::span<const Contributed> contributedOperators();
bool isContributed(std::string_view domain, std::string_view type);

/// What an attribute holds, as far as tests of attributes tell it apart. `Other` are tensors, graphs and types.
enum class AttributeKind : uint8_t { Integer, Float, String, List, Other };

/// The schema of an operator over all its versions.
struct OperatorSchema {
  /// The opsets that introduced its versions, ascending; empty if only the name is known.
  std::vector<int64_t> versions;
  /// First opset that has it.
  int64_t since = 1;
  /// First opset that no longer has it; 0 if none.
  int64_t removed = 0;
  /// If false, nothing is known of operands, results and attributes.
  bool hasSchema = false;
  /// Smallest of all versions.
  uint32_t minOperands = 0;
  /// Largest of all versions: the largest number where there is no bound.
  uint32_t maxOperands = 0;
  uint32_t maxResults = 0;
  /// What the attributes hold; `Other` where versions differ.
  std::map<std::string, AttributeKind> attributes;
};

/// An input, an output or an attribute of an operator, for people.
struct SchemaPart {
  std::string name;
  /// `T, optional`; `int, default 1`.
  std::string words;
};

/// The newest version of an operator, for people.
struct OperatorSignature {
  /// The opset that introduced this version.
  int64_t since = 1;
  bool deprecated = false;
  /// Attributes by name.
  std::vector<SchemaPart> inputs, outputs, attributes;
};

/// nullopt for an operator without a schema.
std::optional<OperatorSignature> operatorSignature(const std::string& domain, const std::string& type);

/// nullopt for an operator that no opset has and ONNX Runtime does not contribute.
std::optional<OperatorSchema> operatorSchema(const std::string& domain, const std::string& type);
/// Every operator of any opset and every contributed one, as (domain, type). The first call is slow: the library copies
/// all schemas.
const std::set<std::pair<std::string, std::string>>& operatorNames();

/// The newest opset of a domain that the library has; 0 for a domain without schemas.
int64_t newestOpset(std::string_view domain);

/// The default of attribute `name` in the schema that `version` of `domain` selects; nullopt if there is no schema or
/// no default.
std::optional<AttributeValue> attributeDefault(std::string_view domain, std::string_view type, int64_t version,
                                               std::string_view name);

}  // namespace amdahlc::ir::onnx_schemas
