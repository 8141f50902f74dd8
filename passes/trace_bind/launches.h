/// Device work in launch order per iteration, grouped into calls, with the framework operators and module frames around
/// them. These are the observations that the binder aligns with the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/cpu_work.h"
#include "replay/timeline/phases.h"
#include "replay/timeline/timeline.h"

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
};

/// One piece of work that a rule can describe: a device event, or, in a trace without a device, an operator that
/// computes.
struct Launch {
  EventIndex event = 0;
  /// In a trace without a device, the operator that computes; `event` is the first stretch of it or of one inside it.
  HostEventId leaf;
  uint32_t signature = 0;
  /// The top-level operator of its chain: all launches of one framework call share it. None where no operator encloses
  /// the launch, or where that operator is a wrapper.
  HostEventId call;
  /// The innermost module frame, or none.
  HostEventId frame;
  /// Operator calls, parallel to the signature's `operators`.
  std::vector<HostEventId> calls;
};

/// The launches of one call of a framework operator, which is the outermost one inside the innermost module frame. A
/// launch without an operator is a call of its own.
struct Call {
  /// The launches [first, first + count) of the iteration.
  uint32_t first = 0, count = 0;
  /// The operator; none if unknown.
  HostEventId op;
  /// The innermost module frame, or none.
  HostEventId frame;
  /// All device events of the call, ascending.
  std::vector<EventIndex> events;
  /// It has no launch in the trace and ran before the first event of the iteration that has one: an earlier run of the
  /// model launched it, before the trace began.
  bool spill = false;
  /// Generated code ran since the call before it in the iteration.
  bool afterGenerated = false;
};

/// A device event that belongs to no call: of the backward pass or the optimizer, of an operator that computes nothing,
/// or a wrapper's own time.
struct EventOutsideCalls {
  EventIndex event = 0;
  /// The innermost operator; none if unknown.
  HostEventId op;
  /// The call of the backward pass or the optimizer that it runs in (`Phases::trainingCall`); none in the forward pass.
  HostEventId trainingCall;
  bool computes = false;
  /// Code that a compiler generated for several operators.
  bool generated = false;
};

/// All selected events of a timeline, by iteration, in the order in which they were launched. The calls are those of
/// the forward pass.
class Launches {
 public:
  /// Precondition: the timeline has host facts.
  ///
  /// `isKnown` tells whether a rule or an operator of the graph uses an operator's name. An unknown operator that
  /// encloses several others with launches is a wrapper, not a call: a custom operator around a model, or an autograd
  /// function. Launches below it do not belong together. Without `isKnown` there are no wrappers.
  ///
  /// With `namesOnly`, each launch is a call of its own without operators, modules and phases.
  explicit Launches(const Timeline& timeline, const std::function<bool(std::string_view)>& isKnown = {},
                    bool namesOnly = false);

  const Timeline& timeline() const { return timeline_; }
  const HostFacts& host() const { return *timeline_.host; }
  const Phases& phases() const { return phases_; }
  /// The call that launched a device event: of the device's runtime, or else the operator; none if unknown.
  HostEventId launchingCall(EventIndex event) const {
    return host().launch[event].isNone() ? host().launchOp[event] : host().launch[event];
  }
  /// The adapter for the timeline's runtime.
  const RuntimeAdapter& runtime() const { return runtimeAdapter(timeline_.target.runtime); }
  /// Indices of `Timeline::iterations` that have selected events, ascending.
  const std::vector<int32_t>& iterations() const { return iterations_; }
  const amdahlc::Iteration& iteration(size_t iteration) const {
    return timeline_.iterations[static_cast<size_t>(iterations_[iteration])];
  }
  /// Launches of one call are adjacent; calls are in order of their first launch.
  std::span<const Launch> launches(size_t iteration) const { return perIteration_[iteration].launches; }
  std::span<const Launch> launches(size_t iteration, const Call& call) const {
    return launches(iteration).subspan(call.first, call.count);
  }
  std::span<const Call> calls(size_t iteration) const { return perIteration_[iteration].calls; }
  /// Those of all iterations.
  auto calls() const { return perIteration_ | std::views::transform(&Iteration::calls) | std::views::join; }
  std::span<const EventOutsideCalls> outside(size_t iteration) const { return perIteration_[iteration].outside; }
  /// Whether code that a compiler generated ran.
  bool hasGeneratedCode() const { return hasGeneratedCode_; }
  /// Whether generated code ran before the call; the number of calls stands for the end of the iteration.
  bool isAfterGenerated(size_t iteration, size_t call) const {
    const Iteration& at = perIteration_[iteration];
    return call < at.calls.size() ? at.calls[call].afterGenerated : at.endsGenerated;
  }
  const std::vector<LaunchSignature>& signatures() const { return signatures_; }
  const LaunchSignature& signature(const Launch& launch) const { return signatures_[launch.signature]; }
  std::string_view kernelName(const Launch& launch) const { return timeline_.text(signature(launch).name); }
  /// The name of its innermost module frame; nullopt without one.
  std::optional<Symbol> instanceOf(const Call& call) const {
    return call.frame.isNone() ? std::nullopt : std::optional(host().name[call.frame]);
  }
  /// The module frames around it, the innermost first.
  std::vector<HostEventId> framesAround(const Call& call) const;
  /// When the host launched it, in nanoseconds; nullopt if the trace does not say.
  std::optional<int64_t> launchedAt(const Launch& launch) const;

 private:
  struct Iteration {
    std::vector<Launch> launches;
    std::vector<Call> calls;
    std::vector<EventOutsideCalls> outside;
    /// Generated code ran since its last call.
    bool endsGenerated = false;
  };
  /// By iteration: the call of an operator; looked up, never iterated.
  using CallOfOperator = std::vector<std::unordered_map<HostEventId, size_t>>;
  /// When the host launched it, or else when it began.
  int64_t timeOf(const Launch& launch) const { return launchedAt(launch).value_or(timeline_.startNs[launch.event]); }
  void groupCalls(Iteration& iteration) const;
  void markSpill(Iteration& iteration) const;
  void markGenerated(Iteration& iteration);
  void addStretches(const std::vector<EventIndex>& stretches, const CpuWork& work, std::vector<Iteration>& iterations,
                    const CallOfOperator& callOf) const;

  const Timeline& timeline_;
  Phases phases_;
  std::vector<int32_t> iterations_;
  std::vector<Iteration> perIteration_;
  std::vector<LaunchSignature> signatures_;
  bool hasGeneratedCode_ = false;
};

}  // namespace amdahlc::binding
