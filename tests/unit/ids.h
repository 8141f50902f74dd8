/// Ids in few words, for tests: `3_op`, `ids<KernelId>({0, 2})`.
#pragma once

#include <initializer_list>
#include <vector>

#include "ir/ids.h"

namespace amdahlc::ir::test {

constexpr OpId operator""_op(unsigned long long index) { return OpId(index); }
constexpr ValueId operator""_value(unsigned long long index) { return ValueId(index); }
constexpr GraphId operator""_graph(unsigned long long index) { return GraphId(index); }
constexpr RuleId operator""_rule(unsigned long long index) { return RuleId(index); }
constexpr CandidateId operator""_candidate(unsigned long long index) { return CandidateId(index); }
constexpr KernelId operator""_kernel(unsigned long long index) { return KernelId(index); }

template <typename IdType>
std::vector<IdType> ids(std::initializer_list<uint32_t> indices) {
  std::vector<IdType> result;
  for (const uint32_t index : indices) result.emplace_back(index);
  return result;
}
template <typename IdType>
std::vector<std::vector<IdType>> idLists(std::initializer_list<std::initializer_list<uint32_t>> lists) {
  std::vector<std::vector<IdType>> result;
  for (const auto& list : lists) result.push_back(ids<IdType>(list));
  return result;
}

}  // namespace amdahlc::ir::test
