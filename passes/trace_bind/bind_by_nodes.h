/// Binding of runs whose events name the nodes that they ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/explain.h"
#include "passes/trace_bind/named_nodes.h"

namespace amdahlc::binding {

/// Binds each event to the kernel of the nodes that it names. Nothing is aligned and nothing is weighed.
///
/// What ran as one event is one kernel: nodes that one event names are in one kernel of the run's cover, and so are the
/// nodes of events that share a node, because a shared node's time cannot be divided. So are the nodes that no event
/// names and that lie on a path between nodes of a kernel: the kernel would have to wait for itself if they ran outside
/// of it. The kernel is the smallest candidate that holds the named nodes and none that other events name. If there is
/// none, the kernel has no candidate. If the kernel would close a cycle, its events are bound to the kernel of the
/// anchor.
class NodeBinder {
 public:
  /// All must outlive it.
  NodeBinder(const ir::Module& module, const ir::OperatorGraph& operators, const AlternativeGraph& graph,
             const NamedNodes& named, const Timeline& timeline)
      : module_(module), operators_(operators), graph_(graph), named_(named), timeline_(timeline) {}

  /// The kernels of the run's cover; nullopt where the operators themselves form a cycle.
  std::optional<IdVector<ir::KernelId, ir::Kernel>> chooseKernels();
  /// Events and reasons of all selected events. `facts.kernels` has one element per kernel of the cover.
  void bind(const ir::Cover& cover, ir::BoundFacet& facts) const;
  /// Why kernels have no events, of those for which `facts` says that they should have some.
  void setMissReasons(const ir::Cover& cover, ir::BoundFacet& facts) const;
  ir::ModelFit measureFit(const ir::BoundFacet& facts, const ir::Cover& cover) const;
  std::string explain(const Subject& subject, const ir::Cover& cover, const ir::BoundFacet& facts) const;

  /// Kernels that would have closed a cycle.
  int64_t refused() const { return refused_; }

 private:
  /// Nodes that events name together.
  struct Group {
    /// In the order of names.
    std::vector<ir::OpId> named;
    /// Nodes between them, which no event names.
    std::vector<ir::OpId> between;
  };
  std::vector<Group> findGroups() const;
  void addBetween(std::vector<Group>& groups) const;
  ir::OpId anchorOf(const std::vector<ir::OpId>& named) const;
  void findCandidates();
  ir::CandidateId candidateOf(const Group& group) const;

  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  const AlternativeGraph& graph_;
  const NamedNodes& named_;
  const Timeline& timeline_;
  /// By named node: the candidates with device work that hold it, ascending.
  IdVector<ir::OpId, std::vector<ir::CandidateId>> holding_;
  /// Some event names the node.
  IdVector<ir::OpId, bool> isNamed_;
  /// Of a group that would close a cycle.
  IdVector<ir::OpId, bool> isRefused_;
  int64_t refused_ = 0;
};

}  // namespace amdahlc::binding
