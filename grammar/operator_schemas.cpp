#include "grammar/operator_schemas.h"

#include <algorithm>
#include <array>

namespace amdahlc::grammar {
using namespace ir::onnx_schemas;

const OperatorSchema* OperatorSchemas::find(std::string_view domain, std::string_view type) const {
  const auto [entry, isNew] = operators_.try_emplace(std::pair{std::string(domain), std::string(type)});
  if (isNew) entry->second = operatorSchema(entry->first.first, entry->first.second);
  return entry->second ? &*entry->second : nullptr;
}

bool OperatorSchemas::knowsDomain(std::string_view domain) const {
  const auto contributed = contributedOperators();
  return newestOpset(domain) != 0 ||
         std::ranges::any_of(contributed, [&](const Contributed& row) { return row.domain == domain; });
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
  return domain.empty() && std::ranges::find(kTypes, type) != kTypes.end();
}

}  // namespace amdahlc::grammar
