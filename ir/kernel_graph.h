/// The kernel graph of a cover: the quotient of the operator graph, one vertex per kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "support/directed_graph.h"

namespace amdahlc::ir {

/// Kernels in any order.
using KernelList = IdVector<KernelId, Kernel>;

/// Which kernels of a list hold each operator. Their ids here are their places in the list.
class KernelHolders {
 public:
  KernelHolders(const Module& module, const KernelList& kernels);

  /// Ascending: several where rules recompute the operator.
  std::span<const KernelId> of(OpId op) const { return holders_[op]; }
  bool holds(KernelId kernel, OpId op) const;
  /// The kernel that others get a result of `producer` from, if some kernel holds the operator: among those that have
  /// the value as a result, the first one by operators. It does not depend on the order of the list.
  KernelId supplier(ValueId value, OpId producer) const;

 private:
  const Module& module_;
  const KernelList& kernels_;
  CompressedRows<OpId, KernelId> holders_;
};

/// The kernels with ids by Kahn's order (ready kernel with the lowest node index among its operators first). A kernel
/// inside a region depends on its parent op's kernel, so bodies follow their op. nullopt if the quotient is cyclic.
std::optional<KernelList> numberKernels(const Module& module, const OperatorGraph& graph, const KernelList& kernels);

/// The kernels of the first cycle of the quotient, ascending by place in `kernels`; none if it is acyclic.
std::vector<size_t> cycleOf(const Module& module, const OperatorGraph& graph, const KernelList& kernels);

/// Where the kernels of a cover are in the graphs of the module.
class KernelNesting {
 public:
  KernelNesting(const Module& module, const Cover& cover);

  /// The graph that holds the kernel's operators.
  GraphId graphOf(KernelId kernel) const { return graph_[kernel]; }
  /// Kernel of an op in this cover (the first where recomputed), or kNone.
  KernelId kernelOf(OpId op) const { return kernelOf_[op]; }
  /// Kernels of the bodies of a control-flow op's kernel, ascending, all levels; empty for others.
  std::span<const KernelId> bodyKernels(KernelId kernel) const { return bodies_[kernel]; }
  /// The weight of each kernel in its graph: its own and, for a control-flow op's kernel, those of all kernels of its
  /// bodies.
  template <typename Weight>
  IdVector<KernelId, Weight> withBodies(const IdVector<KernelId, Weight>& own) const {
    IdVector<KernelId, Weight> weights = own;
    for (const KernelId kernel : weights.ids())
      for (const KernelId body : bodies_[kernel]) weights[kernel] += own[body];
    return weights;
  }

  friend bool operator==(const KernelNesting&, const KernelNesting&) = default;

 private:
  IdVector<KernelId, GraphId> graph_;
  IdVector<OpId, KernelId> kernelOf_;
  CompressedRows<KernelId, KernelId> bodies_;
};

/// Predecessors and successors of each kernel within its graph (main or body), distinct and ascending. An edge p -> k
/// means that an operator of k uses a value that p produces, or is stated to come after one of p. A use inside a region
/// counts as a use by the region's op. Values are followed through operators that are in no kernel.
class KernelGraph : public DirectedGraph<KernelId>, public KernelNesting {
 public:
  static constexpr const char* kName = "kernel-graph";
  static constexpr FacetSet kReads{Facet::Simplified, Facet::Fused, Facet::Bound};
  KernelGraph(const Module& module, const OperatorGraph& graph, const Cover& cover);
  /// As an analysis; `Analyses` caches the operator graph.
  template <typename Analyses>
  KernelGraph(const Module& module, CoverId cover, Analyses& analyses)
      : KernelGraph(module, analyses.template get<OperatorGraph>(), module.cover(cover)) {}

  /// Graph inputs (value ids, ascending) that the kernel uses directly.
  std::span<const ValueId> graphInputs(KernelId kernel) const { return inputs_[kernel]; }

  friend bool operator==(const KernelGraph&, const KernelGraph&) = default;

 private:
  CompressedRows<KernelId, ValueId> inputs_;
};

/// Its rule says that it launches nothing.
bool hasNoDeviceWork(const Module& module, const Kernel& kernel);

/// Rule label, or the op type without a rule; of several operators the types, that of the anchor first:
/// `Conv+Add+Relu`, `MatMul and 40 more`.
std::string kernelLabel(const Module& module, const Kernel& kernel);
/// The key of the metadata of an operator that state the category of its kernel if no rule does.
inline constexpr std::string_view kCategoryKey = "category";
/// Rule category; without a rule, what the metadata of the anchor state, or `other`.
std::string kernelCategory(const Module& module, const Kernel& kernel);
/// Scope of the anchor.
ScopeId kernelScope(const Module& module, const Kernel& kernel);

}  // namespace amdahlc::ir
