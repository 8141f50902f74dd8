/// Why kernels have no events and events no kernels: enumerators with arguments. Passes compare them; reports turn them
/// into sentences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/ids.h"

namespace amdahlc::ir {

class Module;
struct Kernel;

/// Why a kernel that expects device work has no event. Its rule and its operators are the arguments.
enum class MissReason : uint8_t {
#define AMDAHLC_MISS_REASON(ID, ...) ID,
#include "ir/reasons.def"
};
struct MissReasonInfo {
  MissReason reason;
  std::string_view keyword;
};
/// In the order of `reasons.def`.
std::span<const MissReasonInfo> allMissReasons();
std::string_view keyword(MissReason reason);
/// One clause: "no launch in the trace fits rule `linear`".
std::string describe(const Module& module, const Kernel& kernel, MissReason reason);

/// The class of an event that belongs to no kernel.
enum class UnboundState : uint8_t {
  /// Inside the model, but without a node.
  RuntimeOnly,
  Unknown,
};

/// The arguments of a reason.
enum class ReasonArgument : uint8_t { None, Name, Rule, RuleAndCount };

/// Why an event belongs to no kernel.
struct UnboundReason {
  enum class Kind : uint8_t {
#define AMDAHLC_UNBOUND_REASON(ID, ...) ID,
#include "ir/reasons.def"
  };
  Kind kind = Kind::NoRule;
  /// The module frame or the framework operator.
  std::string name;
  /// The rule that fits the event best.
  RuleId rule;
  /// Number of kernels of `rule`.
  int64_t kernels = 0;
  friend auto operator<=>(const UnboundReason&, const UnboundReason&) = default;
};

struct UnboundReasonInfo {
  UnboundReason::Kind kind;
  std::string_view keyword;
  UnboundState state;
  /// Report key `class`.
  std::string_view reportClass;
  ReasonArgument argument;
};
/// In the order of `reasons.def`.
std::span<const UnboundReasonInfo> allUnboundReasons();
const UnboundReasonInfo& info(UnboundReason::Kind kind);
/// One clause: "all 3 kernels of rule `linear` have their own events".
std::string describe(const Module& module, const UnboundReason& reason);

}  // namespace amdahlc::ir
