/// A machine with a host thread and a device, of which everything is known: what a changed program takes can be
/// computed by running that. Other lengths are the matter of `tests/checks/schedule/simulated_runs.py`.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc::testing {

/// What a thread does, in order.
struct Work {
  int64_t ns;
};
struct Launch {
  std::string kernel;
  std::string stream;
  int64_t ns;
};
/// One call that launches several kernels of a stream: no other one has a latency.
struct GraphLaunch {
  std::vector<Launch> kernels;
};
/// A copy to the device from memory that is not pinned: its call returns after it.
struct PageableCopy {
  std::string stream;
  int64_t ns;
};
/// The same from the device.
struct PageableCopyBack {
  std::string stream;
  int64_t ns;
};
/// A copy to the device from pinned memory: its call returns when the copy may start.
struct PinnedCopy {
  std::string stream;
  int64_t ns;
};
/// An operator of the host, or a call of a module, around the steps from its beginning to its end.
struct Begin {
  std::string name;
  bool isModule = false;
};
struct End {};
/// The step of the profiled loop ends, and the next one begins.
struct NextStep {};
struct Record {
  int event;
  std::string stream;
};
struct Wait {
  int event;
  std::string stream;
};
struct StreamSync {
  std::string stream;
};
struct DeviceSync {};
using Step = std::variant<Work, Launch, GraphLaunch, PageableCopy, PageableCopyBack, PinnedCopy, Begin, End, NextStep,
                          Record, Wait, StreamSync, DeviceSync>;

/// The times of the machine.
struct Machine {
  int64_t launchCallNs = 4'000;
  int64_t otherCallNs = 1'500;
  int64_t launchLatencyNs = 6'000;
  int64_t copyLatencyNs = 9'000;
  int64_t turnAroundNs = 1'000, nodeTurnAroundNs = 300;
  int64_t eventToEventNs = 2'000;
  int64_t returnNs = 3'000;
};

struct SimulatedTimes {
  /// From the start of the first event to the end of the last.
  int64_t wallNs;
  /// Of all steps.
  int64_t windowNs;
};

struct SimulatedRun {
  Timeline timeline;
  SimulatedTimes times;
};

SimulatedRun simulate(const std::vector<Step>& program, const Machine& machine);

}  // namespace amdahlc::testing
