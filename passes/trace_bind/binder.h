/// The interface of the ways to bind a run.
#pragma once

#include <memory>
#include <optional>

#include "ir/facets/bound.h"
#include "passes/trace_bind/bind_timeline.h"
#include "passes/trace_bind/instances.h"
#include "passes/trace_bind/observed_run.h"

namespace amdahlc::binding {

struct BindInput {
  const AlternativeGraph& graph;
  const Timeline& timeline;
  const BindOptions& options;
  /// Binders add counts, remarks, debug lines and explanations.
  BoundRun& result;
};

/// Binds one run. `bindTimeline` calls these functions in their order, each once.
class Binder {
 public:
  virtual ~Binder() = default;
  /// Whether it reads calls with their operators and modules. Otherwise each launch is a call of its own.
  virtual bool readsCalls() const { return false; }
  /// The kernels of the run's cover; nullopt where the operators form a cycle. The run outlives the binder.
  virtual std::optional<IdVector<ir::KernelId, ir::Kernel>> chooseKernels(ObservedRun& run) = 0;
  /// Gives each selected event to a kernel of the cover or to the events of no kernel, and sets whether the trace fits.
  /// `facts.kernels` has an element for each kernel. A reason why a kernel has no event stays, if it should have one.
  virtual void bind(const ir::Cover& cover, ir::BoundFacet& facts) = 0;
  /// Adds explanations, and remarks on kernels that were refused.
  virtual void explain(const ir::Cover& /*cover*/, const ir::BoundFacet& /*facts*/) {}
};

/// Null if the binder is not for the run: by kernel names, if the rules say `evidence names`; by nodes, if events name
/// the nodes that they ran; by alignment.
std::unique_ptr<Binder> bindsByNames(const BindInput& input);
std::unique_ptr<Binder> bindsByNodes(const BindInput& input);
std::unique_ptr<Binder> bindsByAlignment(const BindInput& input);

/// A remark: which order launches follow.
std::string describeOrder(OrderKind order, bool weightsCompared);
/// Adds the events of no call: of the backward pass and the optimizer, what computes nothing, wrappers, generated code.
void addOutside(const ObservedRun& run, const ir::Cover& cover, const Instances& instances, ir::BoundFacet& facts);
/// Orders the events, and sets the states of kernels.
void setStates(const ObservedRun& run, const ir::Cover& cover, ir::BoundFacet& facts);

}  // namespace amdahlc::binding
