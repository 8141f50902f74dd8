/// The phases of a run: which of its calls and events are the forward pass, the backward pass, the optimizer, the
/// loading of data and communication. docs/phases.md defines them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "replay/runtimes/phase.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

/// The phase of each call of the host and of each device event. Linear in their number.
///
/// A call has the phases that its name states, and those of the calls and annotations around it on its thread; of these
/// the first one counts. A device event has the phase of the call that launched it.
class Phases {
 public:
  /// `timeline` must outlive the object. Without host events, events are `Communication`, by their names, or `Other`.
  explicit Phases(const Timeline& timeline);

  Phase of(HostEventId call) const;
  Phase of(EventIndex event) const { return ofEvent_[event]; }
  const std::vector<Phase>& ofEvents() const { return ofEvent_; }
  /// Whether the call is in the phase, which may be another than `of` where it is in several.
  bool isIn(HostEventId call, Phase phase) const { return (marks_[call] & bit(phase)) != 0; }

  /// The outermost operator or annotation around the call, or the call itself, that begins the part of the optimizer,
  /// or else of the backward pass; none in neither of them. On a thread of the backward pass alone, what runs outside
  /// of its steps has its outermost operator.
  HostEventId trainingCall(HostEventId call) const { return trainingCall_[call]; }
  /// The innermost step of the backward pass around the call, or the call itself: autograd's evaluation of one node of
  /// its graph. None outside of steps.
  HostEventId backwardStep(HostEventId call) const { return backwardStep_[call]; }
  /// The phase that the name of the call or the annotation begins, where it is; `Other` if it begins none.
  Phase begun(HostEventId call) const { return begun_[call]; }

  friend bool operator==(const Phases&, const Phases&) = default;

 private:
  class Marker;
  using Marks = uint8_t;
  static constexpr Marks bit(Phase phase) { return static_cast<Marks>(1U << static_cast<uint8_t>(phase)); }

  void markInputCopies(const Timeline& timeline);

  // By host event. The bit of a phase is set where the event is in it.
  IdVector<HostEventId, Marks> marks_;
  IdVector<HostEventId, HostEventId> trainingCall_, backwardStep_;
  IdVector<HostEventId, Phase> begun_;
  std::vector<Phase> ofEvent_;
};

/// Device time by phase.
struct PhaseTime {
  int64_t events = 0;
  int64_t ns = 0;
};
/// Of the reported iterations together, in order of precedence.
std::array<PhaseTime, kPhaseCount> phaseTimes(const Timeline& timeline, const Phases& phases);

}  // namespace amdahlc
