/// Small runs of a device, written down call by call. Times are nanoseconds.
#pragma once

#include <string>

#include "runs/builder/builder.h"

namespace amdahlc::testing {

/// Nanoseconds of a microsecond.
inline constexpr int64_t us = 1'000;

class RunBuilder {
 public:
  RunBuilder() { builder_.facts().target.runtime = "pytorch"; }

  struct Place {
    int64_t startNs, endNs;
  };
  /// A call of the device's runtime.
  void call(const std::string& name, Place at, int64_t correlation = -1, const std::string& thread = "1") {
    host(EventKind::Runtime, name, at, thread, correlation);
  }
  void launch(Place at, int64_t correlation, const std::string& thread = "1") {
    call("cudaLaunchKernel", at, correlation, thread);
  }
  void op(const std::string& name, Place at, const std::string& thread = "1") {
    host(EventKind::Operator, name, at, thread, -1);
  }
  void module(const std::string& name, Place at, const std::string& thread = "1") {
    host(EventKind::ModuleFrame, name, at, thread, -1);
  }
  /// A step of the profiled loop, which is an iteration.
  void step(const std::string& name, Place at, const std::string& thread = "1") {
    host(EventKind::Annotation, name, at, thread, -1);
  }
  void kernel(const std::string& name, Place at, int64_t correlation, const std::string& stream = "7") {
    device(EventKind::Kernel, name, at, correlation, stream);
  }
  void copy(const std::string& name, Place at, int64_t correlation, const std::string& stream = "7") {
    device(EventKind::Copy, name, at, correlation, stream);
  }
  /// What the trace states of a wait.
  void stated(const std::string& name, Place at, int64_t correlation, const WaitFacts& facts) {
    RawEvent event;
    event.facts = builder_.facts(facts);
    add(event, EventKind::Synchronization, name, at, builder_.track("0", std::to_string(facts.stream), true),
        correlation);
  }

  Timeline finish() { return builder_.finish(StepSelection::All); }

 private:
  void host(EventKind kind, const std::string& name, Place at, const std::string& thread, int64_t correlation) {
    add({}, kind, name, at, builder_.track("100", thread, false), correlation);
  }
  void device(EventKind kind, const std::string& name, Place at, int64_t correlation, const std::string& stream) {
    add({}, kind, name, at, builder_.track("0", stream, true), correlation);
  }
  void add(RawEvent event, EventKind kind, const std::string& name, Place at, uint32_t track, int64_t correlation) {
    event.kind = kind;
    event.name = name;
    event.startNs = at.startNs;
    event.durationNs = at.endNs - at.startNs;
    event.track = track;
    event.correlation = correlation;
    builder_.add(event);
  }

  TimelineBuilder builder_;
};

}  // namespace amdahlc::testing
