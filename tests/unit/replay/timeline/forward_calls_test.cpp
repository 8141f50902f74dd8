#include "replay/timeline/forward_calls.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

struct Training : Run {
  uint32_t main = host;
  uint32_t backward = builder.track("100", "200", false);

  void call(std::string_view name, int64_t startNs, int64_t endNs, uint32_t track, int64_t number,
            int32_t forwardThread = 0) {
    RawEvent event;
    event.kind = EventKind::Operator;
    event.name = name;
    event.startNs = startNs;
    event.durationNs = endNs - startNs;
    event.track = track;
    event.sequenceNumber = number;
    event.forwardThread = forwardThread;
    builder.add(event);
  }
  void step(std::string_view node, int64_t startNs, int64_t endNs, int64_t number, int32_t forwardThread = 1) {
    call("autograd::engine::evaluate_function: " + std::string(node), startNs, endNs, backward, number, forwardThread);
  }
};

/// The start of the forward call of an operator; -1 for none.
int64_t forwardStart(const Timeline& t, std::string_view name) {
  const Phases phases(t);
  const HostEventId forward = ForwardCalls(t, phases).of(findHost(t, name));
  return forward.isNone() ? -1 : t.host->startNs[forward];
}

}  // namespace

TEST_CASE("the last call with a number created the node of the step, and all in the step is about it") {
  Training run;
  run.call("aten::empty", 0, 5, run.main, 7);
  run.call("aten::linear", 10, 100, run.main, 7);
  run.call("aten::addmm", 20, 90, run.main, 7);
  run.call("aten::relu", 110, 120, run.main, 8);
  run.step("AddmmBackward0", 200, 300, 7);
  run.call("AddmmBackward0", 210, 290, run.backward, 7, 1);
  run.call("aten::mm", 220, 230, run.backward, -1);
  run.step("torch::autograd::AccumulateGrad", 310, 320, -1);
  const Timeline t = run.finish();
  CHECK(forwardStart(t, "autograd::engine::evaluate_function: AddmmBackward0") == 20);
  CHECK(forwardStart(t, "AddmmBackward0") == 20);
  CHECK(forwardStart(t, "aten::mm") == 20);
  CHECK(forwardStart(t, "aten::relu") == -1);
  CHECK(forwardStart(t, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad") == -1);
}

TEST_CASE("a number that several threads use belongs to the thread of all steps of its kind") {
  Training run;
  // The steps of the main thread have the numbers 3 and 9, of which the other thread has one only.
  run.call("aten::mm", 0, 10, run.main, 3);
  run.call("aten::relu", 20, 30, run.main, 9);
  run.step("CheckpointBackward", 100, 200, 9);
  run.call("aten::tanh", 110, 120, run.backward, 3);
  run.step("TanhBackward0", 130, 140, 3, 2);
  run.step("MmBackward0", 210, 220, 3);
  const Timeline t = run.finish();
  CHECK(forwardStart(t, "autograd::engine::evaluate_function: CheckpointBackward") == 20);
  CHECK(forwardStart(t, "autograd::engine::evaluate_function: TanhBackward0") == 110);
  CHECK(forwardStart(t, "autograd::engine::evaluate_function: MmBackward0") == 0);
}

TEST_CASE("a number that several threads use belongs to none where nothing tells them apart") {
  Training run;
  run.call("aten::mm", 0, 10, run.main, 3);
  run.call("aten::mm", 0, 10, run.builder.track("100", "300", false), 3);
  SUBCASE("steps with a number of the forward thread") { run.step("MmBackward0", 210, 220, 3); }
  SUBCASE("steps without one") { run.step("MmBackward0", 210, 220, 3, 0); }
  CHECK(forwardStart(run.finish(), "autograd::engine::evaluate_function: MmBackward0") == -1);
}

TEST_CASE("numbers of another process are others") {
  Training run;
  run.call("aten::mm", 0, 10, run.main, 3);
  run.call("aten::mm", 30, 40, run.builder.track("101", "101", false), 3);
  run.step("MmBackward0", 210, 220, 3);
  CHECK(forwardStart(run.finish(), "autograd::engine::evaluate_function: MmBackward0") == 0);
}

TEST_CASE("without numbers of forward threads the only call with a number counts") {
  Training run;
  run.call("aten::mm", 0, 10, run.main, 3);
  run.step("MmBackward0", 210, 220, 3, 0);
  CHECK(forwardStart(run.finish(), "autograd::engine::evaluate_function: MmBackward0") == 0);
}
