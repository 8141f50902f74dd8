/// Why a match failed, for `-Rpass-missed=fuse`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

struct CompiledPattern;

/// The deepest failure of an attempt.
struct MatchFailure {
  enum class Reason : uint8_t {
#define AMDAHLC_MATCH_FAILURE(REASON, CAUSE, CLAUSE) REASON,
#include "passes/fuse/match_failures.def"
  };
  Reason reason = Reason::None;
  ir::OpId root;
  uint32_t patternValue = ir::kNoIndex;
  uint32_t patternNode = ir::kNoIndex;
  /// The value at which it failed.
  ir::ValueId value;
  /// The matched operator that has it as operand.
  ir::OpId user;
  /// The operator that does not fit.
  ir::OpId op;
  uint32_t index = 0;
  /// Operators matched so far, in the order of matching.
  std::vector<ir::OpId> matched;
};

/// A cause without its operators: "another operator", "a condition does not hold".
std::string_view describe(MatchFailure::Reason reason);

/// One clause: "`x` of `Mul_5` is produced by `Tanh_2` (Tanh); `Erf` was expected".
std::string describe(const ir::Module& module, const CompiledPattern& pattern, const MatchFailure& failure);

}  // namespace amdahlc
