/// Predictions for runs whose truth is known, because they are simulated.
#include <doctest/doctest.h>

#include <cmath>

#include "replay/schedule/replay.h"
#include "tests/unit/replay/schedule/simulator.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

/// Two streams: the side stream waits for every second kernel of the main one, which waits for it in turn, and the host
/// synchronises in the middle.
std::vector<Step> program(int64_t hostNs, int64_t kernelNs) {
  std::vector<Step> steps;
  int event = 0;
  for (int layer = 0; layer < 40; ++layer) {
    steps.push_back(Work{hostNs});
    steps.push_back(Launch{"gemm", "7", kernelNs});
    steps.push_back(Work{hostNs / 2});
    steps.push_back(Launch{"relu", "7", kernelNs / 4});
    if (layer % 2 == 0) {
      steps.push_back(Record{event, "7"});
      steps.push_back(Wait{event++, "20"});
      steps.push_back(Work{hostNs / 4});
      steps.push_back(Launch{"side", "20", kernelNs / 2});
      steps.push_back(Record{event, "20"});
      steps.push_back(Wait{event++, "7"});
    }
    if (layer == 15) steps.push_back(PageableCopy{"7", kernelNs});
    // Of the stream of the last launch: without a statement of the trace, it is taken for that.
    if (layer == 21) steps.push_back(StreamSync{"7"});
    if (layer == 25) steps.push_back(DeviceSync{});
  }
  steps.push_back(DeviceSync{});
  return steps;
}

SimulatedTimes firstIterationTimes(const ReplayedRun& run) {
  return {run.iterations[0].extent.lengthNs(), *run.iterations[0].windowNs};
}

/// The prediction for `changes` against the truth, the machine `changed`.
void checkPrediction(const std::vector<Step>& steps, const Machine& machine, const Changes& changes,
                     const Machine& changed) {
  const SimulatedRun measured = simulate(steps, machine);
  const RunModel model(measured.timeline);
  const SimulatedTimes base = firstIterationTimes(replay(model)),
                       scenario = firstIterationTimes(replay(model, changes)), truth = simulate(steps, changed).times;
  const auto check = [](int64_t measuredNs, int64_t fromNs, int64_t toNs, int64_t truthNs) {
    const int64_t predictedNs = measuredNs + toNs - fromNs;
    CHECK_MESSAGE(std::abs(predictedNs - truthNs) * 100 <= truthNs,
                  "predicted " << predictedNs << ", but " << truthNs << "; measured " << measuredNs);
    CHECK_MESSAGE(std::abs(fromNs - measuredNs) * 1000 <= measuredNs,
                  "replayed " << fromNs << ", but measured " << measuredNs);
  };
  check(measured.times.wallNs, base.wallNs, scenario.wallNs, truth.wallNs);
  check(measured.times.windowNs, base.windowNs, scenario.windowNs, truth.windowNs);
}

void checkAllChanges(const std::vector<Step>& steps, Machine machine) {
  const SimulatedRun measured = simulate(steps, machine);
  const size_t events = measured.timeline.size();
  Changes changes;
  Machine changed = machine;
  SUBCASE("nothing changes") {}
  SUBCASE("kernels twice as fast") {
    changes.events.assign(events, Rational{1, 2});
    changed.kernelPermille = 500;
  }
  SUBCASE("kernels twice as slow") {
    changes.events.assign(events, Rational{2, 1});
    changed.kernelPermille = 2'000;
  }
  SUBCASE("launches twice as fast") {
    changes.launches = {1, 2};
    changed.launchPermille = 500;
  }
  SUBCASE("the host twice as fast") {
    changes.host = {1, 2};
    changed.hostPermille = 500;
  }
  SUBCASE("one kernel removed") {
    changed.removed = "gemm";
    for (EventIndex event = 0; event < events; ++event)
      changes.events.push_back(measured.timeline.text(measured.timeline.name[event]) == "gemm" ? Rational{0, 1}
                                                                                               : Rational{1, 1});
  }
  checkPrediction(steps, machine, changes, changed);
}

}  // namespace

TEST_CASE("predictions for a host-bound run are within 1 % of the run simulated anew") {
  for (const bool states : {true, false}) {
    CAPTURE(states);
    Machine machine;
    machine.statesWaits = states;
    checkAllChanges(program(40'000, 8'000), machine);
  }
}

TEST_CASE("predictions for a device-bound run are within 1 % of the run simulated anew") {
  for (const bool states : {true, false}) {
    CAPTURE(states);
    Machine machine;
    machine.statesWaits = states;
    checkAllChanges(program(5'000, 120'000), machine);
  }
}

TEST_CASE("predictions for a run in which host and device take turns are within 1 % of the run simulated anew") {
  Machine machine;
  checkAllChanges(program(20'000, 30'000), machine);
}
