/// The states of kernels and nodes in a run, from the facet `bound`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/module.h"

namespace amdahlc::ir {

/// The state of the kernel in the cover's run; before binding, the state by its rule alone.
KernelState kernelState(const Module& module, const Cover& cover, KernelId kernel);

/// A node's state in one cover's report.
enum class NodeState : uint8_t { Bound, Ambiguous, Absorbed, NoDeviceWork, Folded, NotExecuted, Missed };
/// `bound`, `ambiguous`, `absorbed`, `no-device-work`, `folded`, `not-executed`, `missed`.
std::string_view name(NodeState state);
/// Whether the model and the rules alone give the state.
constexpr bool isKnownWithoutTrace(NodeState state) {
  return state == NodeState::Absorbed || state == NodeState::Folded || state == NodeState::NoDeviceWork;
}

struct NodeReport {
  NodeState state = NodeState::Missed;
  /// Ascending; those of the absorbing op for an absorbed node.
  std::vector<KernelId> kernels;
  friend bool operator==(const NodeReport&, const NodeReport&) = default;
};
IdVector<OpId, NodeReport> nodeReports(const Module& module, const Cover& cover);

}  // namespace amdahlc::ir
