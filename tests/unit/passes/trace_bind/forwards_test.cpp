#include "passes/trace_bind/forwards.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "timelines.h"

namespace amdahlc::binding {
namespace {

using testing::Recorder;

void calls(Recorder& recorder, int count) {
  for (int i = 0; i < count; ++i) recorder.call({"aten::relu"}, {"relu"});
}

const Forwards* withRoot(const std::vector<Forwards>& hypotheses, const Timeline& timeline, std::string_view root) {
  for (const Forwards& one : hypotheses)
    if (one.root && timeline.text(*one.root) == root) return &one;
  return nullptr;
}

TEST_CASE("each call of the root is a forward, and calls of other modules lie outside") {
  Recorder recorder;
  calls(recorder, 1);  // in no module
  recorder.frame("Net_0", [&] { calls(recorder, 3); });
  recorder.frame("Loss_0", [&] { calls(recorder, 2); });
  recorder.frame("Net_0", [&] { recorder.frame("Layer_0", [&] { calls(recorder, 3); }); });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto hypotheses = forwardHypotheses(launches);
  const Forwards* net = withRoot(hypotheses, timeline, "Net_0");
  REQUIRE(net != nullptr);
  CHECK(net == &hypotheses.front());  // the most calls
  REQUIRE(net->segments.size() == 2);
  CHECK(net->segments[0].begin == 0);
  CHECK(net->segments[0].end == 6);
  CHECK(net->segments[1].begin == 6);
  CHECK(net->segments[1].end == 9);
  CHECK_FALSE(net->segments[0].restarts);
  CHECK(net->segments[0].outside == std::vector<bool>{true, false, false, false, true, true});
  CHECK(net->segments[1].outside == std::vector<bool>(3, false));
  CHECK(withRoot(hypotheses, timeline, "Layer_0") != nullptr);
}

TEST_CASE("a call in no module is inside where the model runs on another thread") {
  Recorder recorder;
  recorder.frame("Net_0", [&] {
    calls(recorder, 1);
    recorder.callOnOtherThread({"aten::relu"}, {"relu"});
    calls(recorder, 1);
  });
  recorder.callOnOtherThread({"aten::relu"}, {"relu"});
  recorder.kernelWithoutLaunch("relu");
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const Forwards net = forwardHypotheses(launches).front();
  REQUIRE(net.segments.size() == 1);
  CHECK(net.segments[0].outside == std::vector<bool>{false, false, false, true, false});
}

TEST_CASE("of a module that calls itself, the outermost call is the forward") {
  Recorder recorder;
  recorder.frame("Net_0", [&] {
    calls(recorder, 1);
    recorder.frame("Net_0", [&] { calls(recorder, 1); });
    calls(recorder, 1);
  });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  CHECK(forwardHypotheses(launches).front().segments.size() == 1);
}

TEST_CASE("without frames a forward may begin anywhere in an iteration") {
  Recorder recorder;
  for (int step = 0; step < 2; ++step) {
    const int64_t from = recorder.now();
    calls(recorder, 4);
    recorder.step("ProfilerStep#" + std::to_string(step), from);
  }
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto hypotheses = forwardHypotheses(launches);
  REQUIRE(hypotheses.size() == 1);
  CHECK_FALSE(hypotheses[0].root);
  REQUIRE(hypotheses[0].segments.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const Segment& segment = hypotheses[0].segments[i];
    CHECK(segment.iteration == i);
    CHECK(segment.begin == 0);
    CHECK(segment.end == 4);
    CHECK(segment.restarts);
  }
}

TEST_CASE("a module with few of the calls, or deep inside, is not tried") {
  Recorder recorder;
  recorder.frame("App_0", [&] {
    recorder.frame("Net_0", [&] {
      recorder.frame("Encoder_0", [&] { recorder.frame("Layer_0", [&] { calls(recorder, 18); }); });
    });
  });
  recorder.frame("Metric_0", [&] { calls(recorder, 1); });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto hypotheses = forwardHypotheses(launches);
  CHECK(hypotheses.size() == 3);
  // Of as many calls, the outer one first.
  CHECK(timeline.text(*hypotheses[0].root) == "App_0");
  CHECK(timeline.text(*hypotheses[1].root) == "Net_0");
  CHECK(timeline.text(*hypotheses[2].root) == "Encoder_0");
}

TEST_CASE("every call is in exactly one segment of each hypothesis") {
  Recorder recorder;
  calls(recorder, 2);
  for (int i = 0; i < 3; ++i) {
    recorder.frame("Net_0", [&] { calls(recorder, 2); });
    calls(recorder, 1);
  }
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  for (const Forwards& forwards : forwardHypotheses(launches)) {
    uint32_t next = 0;
    for (const Segment& segment : forwards.segments) {
      CHECK(segment.begin == next);
      CHECK(segment.outside.size() == segment.end - segment.begin);
      next = segment.end;
    }
    CHECK(next == launches.calls(0).size());
  }
}

}  // namespace
}  // namespace amdahlc::binding
