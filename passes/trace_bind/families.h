/// Alternatives in lists that a launch can speak for: of one rule, of one framework operator, of one operator type, of
/// one module. Each list is in the expected order of execution, so that a search needs to look at its next few members
/// only.
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
  Families(const AlternativeGraph& graph, OrderKind order, const std::vector<bool>* allowed);

  /// Long families are entered where their first living member was seen last: one cursor each.
  size_t cursorCount() const { return cursorCount_; }
  std::optional<uint32_t> cursor(uint32_t family) const {
    return cursor_[family] == kNoCursor ? std::nullopt : std::optional(cursor_[family]);
  }
  const std::vector<AlternativeId>& members(uint32_t family) const { return members_[family]; }
  /// Families that speak for the launch, apart from its module's; once per signature.
  const std::vector<uint32_t>& of(Judge& judge, const Launches& all, const Launch& launch, size_t position);
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
