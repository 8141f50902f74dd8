/// The grouping that one target has. A module may have runs of several targets, and rules for all of them.
#pragma once

#include <optional>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

struct TargetGrouping {
  /// The rules that apply there.
  IdVector<ir::RuleId, bool> admitted;
  /// Operators that cost nothing there.
  std::vector<ir::OperatorName> views;
  /// Kernels without a trace: candidates of admitted rules in the order of choice.
  IdVector<ir::KernelId, ir::Kernel> kernels;
};

/// The candidates of admitted rules in the order of choice, without those of `generated` rules, which only a trace
/// tells.
std::vector<ir::CandidateId> candidatesOf(const ir::Module& module, const ir::OperatorGraph& graph,
                                          const IdVector<ir::RuleId, bool>& admitted);

/// nullopt if the operators themselves form a cycle. The default cover is not read: it may be that of another target.
std::optional<TargetGrouping> groupingOn(const ir::Module& module, const ir::OperatorGraph& graph,
                                         const Target& target);

}  // namespace amdahlc
