/// Device events in launch order per iteration, with the framework operator calls and module frames around them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runtimes/runtime.h"
#include "timeline/timeline.h"

namespace amdahlc::binding {

/// What kernel tests read of a launch. Equal launches have the same signature, so that each test runs once per
/// signature.
struct LaunchSignature {
  Symbol name;
  EventKind kind = EventKind::Kernel;
  /// Framework operators around the launch, innermost first, up to the module frame that encloses them. Regions of a
  /// compiler or a profiler are left out, as are wrappers and the operators around them. Empty for kernels of a graph
  /// launch.
  std::vector<Symbol> operators;
  LaunchFacts facts;
  /// Equal if name and operators are equal, independent of the launch facts.
  uint32_t sequenceKey = 0;
};

/// One selected device event.
struct Launch {
  EventIndex event = 0;
  uint32_t signature = 0;
  /// The top-level operator of its chain: all launches of one framework call share it. None where no operator encloses
  /// the launch, or where that operator is a wrapper.
  HostEventId call;
  /// The innermost module frame, or none.
  HostEventId frame;
  /// Operator calls, parallel to the signature's `operators`.
  std::vector<HostEventId> calls;
};

/// All selected events of a timeline, by iteration, in the order in which they were launched.
class Launches {
 public:
  /// Precondition: the timeline has host facts.
  ///
  /// `isKnown` tells whether a rule or an operator of the graph uses an operator's name. An unknown operator that
  /// encloses several others with launches is a wrapper, not a call: a custom operator around a model, or an autograd
  /// function. Launches below it do not belong together. Without `isKnown` there are no wrappers.
  explicit Launches(const Timeline& timeline, const std::function<bool(std::string_view)>& isKnown = {});

  const Timeline& timeline() const { return timeline_; }
  const HostFacts& host() const { return *timeline_.host; }
  /// The adapter for the timeline's runtime.
  const RuntimeAdapter& runtime() const { return runtimeAdapter(timeline_.target.runtime); }
  /// Indices of `Timeline::iterations` that have selected events, ascending.
  const std::vector<int32_t>& iterations() const { return iterations_; }
  std::span<const Launch> launches(size_t iteration) const { return perIteration_[iteration]; }
  const std::vector<LaunchSignature>& signatures() const { return signatures_; }
  const LaunchSignature& signature(const Launch& launch) const { return signatures_[launch.signature]; }
  std::string_view kernelName(const Launch& launch) const { return timeline_.text(signature(launch).name); }
  /// Whether the two iterations launch the same kernels from the same operators in the same order.
  bool sameSequence(size_t a, size_t b) const;
  /// The iteration whose sequence most iterations share; the first of equals. 0 if there is none.
  size_t representative() const;

 private:
  const Timeline& timeline_;
  std::vector<int32_t> iterations_;
  std::vector<std::vector<Launch>> perIteration_;
  std::vector<LaunchSignature> signatures_;
};

}  // namespace amdahlc::binding
