/// Families of alternatives: those of one rule, of one framework operator, of one operator type, of one module. A
/// launch selects families by its evidence. Each family is in the expected order of execution, so that a search looks
/// at its next few members only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/evidence.h"

namespace amdahlc::binding {

class Families {
 public:
  Families(const AlternativeGraph& graph, const RuntimeAdapter& runtime, OrderKind order,
           const std::vector<bool>* allowed);

  /// Number of cursors. Each long family has one: where its first usable member was found last.
  size_t cursorCount() const { return cursorCount_; }
  std::optional<uint32_t> cursor(uint32_t family) const {
    return cursor_[family] == kNoCursor ? std::nullopt : std::optional(cursor_[family]);
  }
  const std::vector<AlternativeId>& members(uint32_t family) const { return members_[family]; }
  /// Families that the evidence of the launch selects, apart from its module's. Computed once per signature.
  const std::vector<uint32_t>& of(Scorer& scorer, const Launches& all, const Launch& launch, size_t position);
  std::optional<uint32_t> ofScope(ir::ScopeId scope) const;
  /// Rank of the alternative in the expected order.
  uint32_t rank(AlternativeId id) const { return ranks_[id]; }

 private:
  static constexpr uint32_t kNoCursor = 0xffffffffu;
  std::vector<uint32_t> ranks_;
  /// By family.
  std::vector<uint32_t> cursor_;
  size_t cursorCount_ = 0;
  std::vector<std::vector<AlternativeId>> members_;
  std::map<std::string, uint32_t> byTarget_, byType_;
  std::map<ir::ScopeId, uint32_t> byScope_;
  std::map<ir::RuleId, uint32_t> byRule_;
  std::map<uint32_t, std::vector<uint32_t>> bySignature_;
};

}  // namespace amdahlc::binding
