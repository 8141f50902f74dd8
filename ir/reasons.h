/// Why kernels have no events and events no kernels: enumerators with arguments. Passes compare them; reports turn them
/// into sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/ids.h"

namespace amdahlc::ir {

class Module;
struct Cover;
struct Kernel;

/// Why a kernel that expects device work has no event. Its rule and its operators are the arguments.
enum class MissReason : uint8_t {
#define AMDAHLC_MISS_REASON(ID, ...) ID,
#include "ir/reasons.def"
};
struct MissReasonInfo {
  MissReason reason;
  std::string_view keyword;
  /// Whether the kernel has a rule; nullopt if either.
  std::optional<bool> ofRule;
  std::string_view sentence;
};
/// In the order of `reasons.def`.
std::span<const MissReasonInfo> allMissReasons();
const MissReasonInfo& info(MissReason reason);
std::string_view keyword(MissReason reason);
/// One clause: "no launch in the trace fits rule `linear`".
std::string describe(const Module& module, const Kernel& kernel, MissReason reason);

/// The state of a device event in a run. Every selected event is in one of them.
enum class EventState : uint8_t {
  Bound,
  /// No binding is probable enough.
  Ambiguous,
  /// Inside the model, but no node stands for it.
  RuntimeOnly,
  /// Outside of the exported model.
  Foreign,
  Unknown,
};
inline constexpr uint8_t kEventStateCount = 5;
/// `bound`, `ambiguous`, `runtime-only`, `foreign`, `unknown`.
std::string_view name(EventState state);

/// Whether some kernel of the model may have run the event, which belongs to none.
constexpr bool isUnexplained(EventState state) {
  return state == EventState::Ambiguous || state == EventState::Unknown;
}

/// The arguments of a reason.
enum class ReasonArgument : uint8_t { None, Name, Rule, RuleAndCount, Rivals };

/// Why an event belongs to no kernel.
struct UnboundReason {
  enum class Kind : uint8_t {
#define AMDAHLC_UNBOUND_REASON(ID, ...) ID,
#include "ir/reasons.def"
  };
  Kind kind = Kind::NoRule;
  /// The module frame, the framework operator or the annotation; empty if there is none.
  std::string name;
  /// The rule that fits the event best.
  RuleId rule;
  /// Number of kernels of `rule`.
  int64_t kernels = 0;
  /// Of an ambiguous event: the most probable kernel, its probability in thousandths, and the next one, if any.
  KernelId kernel;
  uint16_t permille = 0;
  KernelId rival;
  uint16_t rivalPermille = 0;
  friend auto operator<=>(const UnboundReason&, const UnboundReason&) = default;
};

struct UnboundReasonInfo {
  UnboundReason::Kind kind;
  std::string_view keyword;
  EventState state;
  ReasonArgument argument;
  std::string_view sentence;
};
/// In the order of `reasons.def`.
std::span<const UnboundReasonInfo> allUnboundReasons();
const UnboundReasonInfo& info(UnboundReason::Kind kind);
/// One clause: "all 3 kernels of rule `linear` have their own events".
std::string describe(const Module& module, const Cover& cover, const UnboundReason& reason);

}  // namespace amdahlc::ir
