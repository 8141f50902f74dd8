/// Which lowering fits a call of a framework's operator.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/rules.h"
#include "ir/type.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"
#include "runs/execution_trace/execution_trace.h"

namespace amdahlc::ir {

/// The arguments of a call, as far as the trace tells.
struct CallOperands {
  /// Nothing is known.
  CallOperands() = default;
  CallOperands(const OperatorFacts& facts, const RuntimeAdapter& runtime);
  /// Those of a call in an execution trace, or, of `values`, what it returns.
  CallOperands(const execution_trace::ExecutionTrace& trace, std::span<const execution_trace::Value> values,
               const RuntimeAdapter& runtime);

  /// Places of tensors among the arguments from `first` on.
  std::vector<size_t> tensorsFrom(size_t first) const;

  bool isKnown = false;
  /// The type of each argument that is a tensor, and of each tensor in a list of several; nullopt for others.
  std::vector<std::optional<Type>> arguments;
  /// Parallel to them: the argument is nothing.
  std::vector<bool> isAbsent;
  /// Of each argument of an execution trace: the tensor; `kNoTensor` for others.
  std::vector<uint32_t> tensors;
  static constexpr uint32_t kNoTensor = 0xffffffffu;
};

/// The lowerings that apply to a target.
class CallLowerings {
 public:
  /// The rules must outlive it.
  CallLowerings(const RuleSet& rules, const Target& target);

  /// The first one that fits; null if none does. Where nothing is known of the arguments, the one with the fewest
  /// operators, of those the one with the fewest parameters: what the call computes in any case.
  const Lowering* find(std::string_view call, const CallOperands& operands) const;

 private:
  /// In order of declaration. Looked up only.
  std::unordered_map<std::string_view, std::vector<const Lowering*>> byCall_;
};

}  // namespace amdahlc::ir
