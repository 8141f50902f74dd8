#include "grammar/operator_schemas.h"

#include <algorithm>
#include <array>

#include "ir/onnx_schemas/operators.h"

namespace amdahlc::grammar {
namespace {

using namespace ir::onnx_schemas;

/// All versions of an operator in one; nullopt if no opset has it.
std::optional<OperatorSchema> readVersions(const std::string& domain, const std::string& type) {
  OperatorSchema info;
  int64_t latest = 0;
  const std::vector<OperatorVersion> versions = operatorVersions(domain, type);
  for (const OperatorVersion& version : versions) {
    if (version.deprecated) {
      info.removed = std::max(info.removed, version.since);
      continue;
    }
    latest = std::max(latest, version.since);
    info.since = version.since;
    info.minOperands = info.hasSchema ? std::min(info.minOperands, version.minOperands) : version.minOperands;
    info.maxOperands = std::max(info.maxOperands, version.maxOperands);
    info.maxResults = std::max(info.maxResults, version.maxResults);
    for (const auto& [name, kind] : version.attributes)
      if (const auto [at, isNew] = info.attributes.emplace(name, kind); !isNew && at->second != kind)
        at->second = AttributeKind::Other;
    info.hasSchema = true;
  }
  // `GroupNormalization` was deprecated in opset 18 and came back in 21.
  if (latest > info.removed) info.removed = 0;
  return !versions.empty() || isContributed(domain, type) ? std::optional(info) : std::nullopt;
}

}  // namespace

const OperatorSchema* OperatorSchemas::find(std::string_view domain, std::string_view type) const {
  const auto [entry, isNew] = operators_.try_emplace(std::pair{std::string(domain), std::string(type)});
  if (isNew) entry->second = readVersions(entry->first.first, entry->first.second);
  return entry->second ? &*entry->second : nullptr;
}

bool OperatorSchemas::knowsDomain(std::string_view domain) const {
  const auto contributed = contributedOperators();
  return newestOpset(domain) != 0 || std::any_of(contributed.begin(), contributed.end(),
                                                 [&](const Contributed& row) { return row.domain == domain; });
}

std::vector<std::string> OperatorSchemas::typesOf(std::string_view domain) const {
  std::vector<std::string> out;
  for (const auto& [itsDomain, type] : operatorNames())
    if (itsDomain == domain) out.push_back(type);
  return out;
}

std::vector<std::string> OperatorSchemas::elsewhere(std::string_view type) const {
  std::vector<std::string> out;
  for (const auto& [domain, itsType] : operatorNames())
    if (itsType == type && !domain.empty()) out.emplace_back(domain).append("::").append(itsType);
  return out;
}

bool isCommutative(std::string_view domain, std::string_view type) {
  static constexpr std::array<std::string_view, 13> kTypes{
      "Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max", "Mean", "Min", "Mul", "Or", "Sum", "Xor"};
  return domain.empty() && std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

}  // namespace amdahlc::grammar
