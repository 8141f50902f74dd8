/// The phases of a training step in the host events of a run: which of them run in the backward pass or in a call of
/// the optimizer, and which operator of the forward pass a step of the backward pass is about.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

class TrainingPhases {
 public:
  /// Precondition: the timeline has host facts.
  explicit TrainingPhases(const Timeline& timeline);

  /// The outermost operator or annotation around the launch of a device event that begins a phase other than the
  /// forward pass; none in the forward pass.
  HostEventId beginAround(EventIndex event) const;
  /// The phase that the operator or annotation begins.
  TrainingPhase phase(HostEventId begin) const;
  /// The operator whose gradient the step of the backward pass computes: autograd gives both the same sequence number.
  /// None if the trace does not say.
  HostEventId forwardOf(HostEventId step) const;

 private:
  const Timeline& timeline_;
  const RuntimeAdapter& runtime_;
  /// None in the forward pass.
  IdVector<HostEventId, HostEventId> begin_;
  /// By sequence number, of the forward pass; none if several threads use the number. Looked up only.
  std::unordered_map<int64_t, HostEventId> operatorOf_;
};

}  // namespace amdahlc::binding
