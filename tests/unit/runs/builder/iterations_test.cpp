#include "runs/builder/iterations.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

/// `name events` of each iteration, with `!` before those that are not selected.
std::string iterationsOf(const Timeline& t) {
  std::string out;
  for (size_t i = 0; i < t.iterations.size(); ++i) {
    int events = 0;
    for (EventIndex event = 0; event < t.size(); ++event) events += t.iteration[event] == static_cast<int32_t>(i);
    out += (t.iterations[i].selected() ? "" : "!") + t.iterations[i].name + "=" + std::to_string(events) + " ";
  }
  return out;
}

/// Three steps of two kernels; a kernel of each runs after its step has ended.
void threeSteps(Run& run) {
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = 1000 * step;
    run.annotation("ProfilerStep#" + std::to_string(step + 4), at, at + 1000);
    run.launch("a", 10 * step + 1, at + 100);
    run.call(10 * step + 2, at + 990, at + 999);
    run.kernel("b", 10 * step + 2, at + 1500, at + 1600);
  }
}

}  // namespace

TEST_CASE("all steps are kept on request, and a device's copies of steps are not steps") {
  Run run;
  threeSteps(run);
  run.add(EventKind::DeviceAnnotation, "ProfilerStep#4", 50, 4050);
  CHECK(iterationsOf(run.finish(StepSelection::All)) == "ProfilerStep#4=2 ProfilerStep#5=2 ProfilerStep#6=2 ");
}

TEST_CASE("a step without device work is not selected") {
  Run run;
  threeSteps(run);
  run.annotation("ProfilerStep#7", 3000, 4000);
  const Timeline t = run.finish();
  CHECK(iterationsOf(t) == "!ProfilerStep#4=2 ProfilerStep#5=2 ProfilerStep#6=2 !ProfilerStep#7=0 ");
  CHECK(t.iterations[0].leftOut == LeftOut::WarmUp);
  CHECK(t.iterations[3].leftOut == LeftOut::WithoutDeviceWork);
  CHECK(problemCount(t, "empty-iteration") == 1);
}

TEST_CASE("work outside all steps is not selected, unless everything in the file is wanted") {
  Run first, second;
  for (Run* run : {&first, &second}) {
    threeSteps(*run);
    run->launch("setup", 90, -500);
  }
  const Timeline some = first.finish();
  CHECK(some.selectedEvents().size() == 4);
  CHECK(problemCount(some, "outside-iterations") == 1);
  CHECK(iterationsOf(second.finish(StepSelection::All)) == "whole trace=7 ");
}

TEST_CASE("without steps the outer repeated annotation around the work counts") {
  Run run;
  run.annotation("everything", 0, 10000);
  for (int64_t i = 0; i < 2; ++i) {
    run.annotation("forward", 1000 * i, 1000 * i + 900);
    run.annotation("forward", 1000 * i + 1, 1000 * i + 890);  // inside itself: the same occurrence
    run.annotation("nccl:all_reduce", 1000 * i + 10, 1000 * i + 200);
    run.launch("a", 10 * i + 1, 1000 * i + 50);
    run.launch("b", 10 * i + 2, 1000 * i + 300);
    run.launch("c", 10 * i + 3, 1000 * i + 500);
  }
  CHECK(iterationsOf(run.finish()) == "forward (1)=3 forward (2)=3 ");
}

TEST_CASE("an annotation around little of the work is not an iteration") {
  Run run;
  for (int64_t i = 0; i < 3; ++i) {
    run.annotation("nccl:all_reduce", 1000 * i + 10, 1000 * i + 200);
    for (int64_t k = 0; k < 4; ++k) run.launch("k" + std::to_string(4 * i + k), 10 * i + k, 1000 * i + 100 + 150 * k);
  }
  CHECK(iterationsOf(run.finish()) == "whole trace=12 ");
}

TEST_CASE("a sequence that repeats after the longest pauses is an iteration; parts at the ends are not") {
  Run run;
  int64_t at = 0, id = 0;
  run.launch("c", ++id, at += 100);
  for (int copy = 0; copy < 3; ++copy) {
    at += 5000;
    for (const char* name : {"a", "b", "c"}) run.launch(name, ++id, at += 100);
  }
  at += 5000;
  run.launch("a", ++id, at);
  const Timeline t = run.finish();
  CHECK(iterationsOf(t) == "!repeat 1=3 repeat 2=3 repeat 3=3 ");
  CHECK_FALSE(t.iterations[0].startNs.has_value());
}

TEST_CASE("with module frames each copy must be another call of the top-level module") {
  Run layers, calls;
  layers.module("nn.Module: Model_0", 0, 100001);
  for (int64_t i = 0; i < 4; ++i) {
    const std::string layer = "nn.Module: Layer_" + std::to_string(i);
    layers.module(layer, 1000 * i, 1000 * i + 500);
    layers.launch("a", 10 * i + 1, 1000 * i + 10);
    layers.launch("b", 10 * i + 2, 1000 * i + 100);
    calls.module("nn.Module: Model_0", 1000 * i, 1000 * i + 500);
    calls.launch("a", 10 * i + 1, 1000 * i + 10);
    calls.launch("b", 10 * i + 2, 1000 * i + 100);
  }
  CHECK(iterationsOf(layers.finish()) == "whole trace=8 ");
  CHECK(iterationsOf(calls.finish()) == "!repeat 1=2 repeat 2=2 repeat 3=2 repeat 4=2 ");
}

TEST_CASE("the whole trace has the window of the innermost annotation around all launches") {
  Run run;
  run.annotation("script", 0, 100000);
  run.annotation("model_inference", 900, 3000);
  run.annotation("half", 950, 1050);
  run.launch("a", 1, 1000);
  run.launch("b", 2, 2000);
  const Timeline t = run.finish();
  CHECK(iterationsOf(t) == "model_inference=2 ");
  CHECK(*t.iterations[0].startNs == 900);
}

TEST_CASE("copies that overlap in time are not iterations, because overlapping streams have no pause") {
  // Two streams without launches: `a` and `b` run side by side, twice.
  Run run;
  const uint32_t other = run.builder.track("0", "8", true);
  for (int64_t copy = 0; copy < 2; ++copy) {
    run.kernel("a", -1, 100 * copy, 100 * copy + 100);
    run.stream = other;
    run.kernel("b", -1, 100 * copy + 10, 100 * copy + 110);
    run.stream = run.builder.track("0", "7", true);
  }
  CHECK(iterationsOf(run.finish()) == "whole trace=4 ");
}

TEST_CASE("a pause is counted from the last end of all work before, not from the end of the event before") {
  // A kernel on a second stream bridges the gap after the short one that was launched last.
  Run run;
  const uint32_t other = run.builder.track("0", "8", true);
  for (int64_t copy = 0; copy < 3; ++copy) {
    const int64_t at = 1000 * copy;
    run.stream = other;
    run.kernel("long", -1, at, at + 400);
    run.stream = run.builder.track("0", "7", true);
    run.kernel("short", -1, at + 2, at + 4);
  }
  CHECK(iterationsOf(run.finish()) == "!repeat 1=2 repeat 2=2 repeat 3=2 ");
  Run crossing;
  crossing.builder.track("0", "8", true);
  for (int64_t copy = 0; copy < 3; ++copy) {
    const int64_t at = 1000 * copy;
    crossing.stream = other;
    crossing.kernel("long", -1, at, at + 1100);
    crossing.stream = crossing.builder.track("0", "7", true);
    crossing.kernel("short", -1, at + 200, at + 210);
  }
  CHECK(iterationsOf(crossing.finish()) == "whole trace=6 ");
}

TEST_CASE("launches far apart are not iterations if their work overlaps") {
  Run run;
  const uint32_t other = run.builder.track("0", "8", true);
  for (int64_t copy = 0; copy < 3; ++copy) {
    const int64_t at = 10000 * copy;
    run.call(10 * copy + 1, at, at + 10);
    run.call(10 * copy + 2, at + 20, at + 30);
    run.kernel("a", 10 * copy + 1, at + 100, at + 200);
    run.stream = other;
    run.kernel("b", 10 * copy + 2, at + 100, at + 15000);
    run.stream = run.builder.track("0", "7", true);
  }
  CHECK(iterationsOf(run.finish()) == "whole trace=6 ");
}

namespace {

std::string spillInsIn(const Timeline& t) {
  std::string out;
  for (const Iteration& iteration : t.iterations)
    out += (iteration.spillInNs ? std::to_string(*iteration.spillInNs) : "unknown") + " ";
  return out;
}

}  // namespace

TEST_CASE("a device event without a launch belongs to the next event of its stream that has one, else the previous") {
  Run run;
  const uint32_t other = run.builder.track("0", "8", true);
  run.kernel("before the recording", 900, -300, -250);
  run.kernel("long", 901, 500, 2200);
  for (int64_t step = 0; step < 2; ++step) {
    const int64_t at = 1000 * step;
    run.annotation("ProfilerStep#" + std::to_string(step), at, at + 1000);
    // The device is two steps late: by their own time, the kernels of the first step are in no step.
    run.call(step, at + 100, at + 110);
    run.kernel("launched", step, at + 2300, at + 2350);
    if (step == 0) run.kernel("lost", 902, 2400, 2407);
  }
  run.kernel("last", 903, 4000, 4003);
  run.stream = other;
  run.kernel("no launch on its stream", 904, 1500, 1600);
  run.kernel("outside", 905, 5000, 5100);
  const Timeline t = run.finish();
  const auto iterationOf = [&](std::string_view name) { return t.iteration[find(t, name)]; };
  CHECK(iterationOf("before the recording") == 0);
  CHECK(iterationOf("long") == 0);
  CHECK(iterationOf("lost") == 1);
  CHECK(iterationOf("last") == 1);
  CHECK(iterationOf("no launch on its stream") == 1);
  CHECK(iterationOf("outside") == kNoIteration);
  CHECK(spillInsIn(t) == "1750 110 ");
  CHECK(problemCount(t, "no-launch") == 6);
  CHECK(problemCount(t, "outside-iterations") == 1);
}

TEST_CASE("work of an unmarked repetition is placed by its sequence, also if its launch is not in the trace") {
  Run run;
  for (int64_t copy = 0; copy < 3; ++copy) {
    const int64_t at = 10000 * copy;
    if (copy > 0) {
      run.call(10 * copy + 1, at, at + 10);
      run.call(10 * copy + 2, at + 20, at + 30);
    }
    run.kernel("a", 10 * copy + 1, at + (copy > 0 ? 50 : 0), at + 90);
    run.kernel("b", 10 * copy + 2, at + 100, at + 200);
  }
  const Timeline t = run.finish();
  CHECK(iterationsOf(t) == "!repeat 1=2 repeat 2=2 repeat 3=2 ");
  CHECK(spillInsIn(t) == "190 0 0 ");
}

TEST_CASE("spill-in is not known if no device event has a launch, and none on a CPU") {
  Run device, host;
  device.kernel("a", 1, 0, 10);
  CHECK(spillInsIn(device.finish()) == "unknown ");
  host.op("aten::add", 0, 10);
  CHECK(spillInsIn(host.finish()) == "0 ");
}
