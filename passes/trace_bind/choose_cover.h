/// The cover of one trace: the alternatives that its launches were bound to, then the documented order of choice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"

namespace amdahlc::binding {

struct ChosenCover {
  IdVector<ir::KernelId, ir::Kernel> kernels;
  /// By alternative; none if it is not in the cover.
  std::vector<ir::KernelId> kernelOf;
  /// By operator, the alternative in the cover that holds it; the last one of several that compute it again.
  IdVector<ir::OpId, AlternativeId> alternativeWith;
  /// The kernel of that; none where nothing launches it.
  ir::KernelId kernelWith(ir::OpId op) const {
    return alternativeWith[op] == kNoAlternative ? ir::KernelId() : kernelOf[alternativeWith[op]];
  }
  bool holds(AlternativeId alternative) const { return !kernelOf[alternative].isNone(); }
};

/// `used` is in order of preference. nullopt where the operators themselves form a cycle.
std::optional<ChosenCover> chooseCover(const AlternativeGraph& graph, std::span<const AlternativeId> used);

/// A sentence for each conflict component that the trace decided otherwise than the default order, ascending.
std::vector<std::string> describeDecisions(const ir::Module& module,
                                           const IdVector<ir::KernelId, ir::Kernel>& byDefault,
                                           const IdVector<ir::KernelId, ir::Kernel>& byTrace);

}  // namespace amdahlc::binding
