#include "passes/trace_bind/launches.h"

#include <doctest/doctest.h>

#include "timelines.h"

namespace amdahlc::binding {
namespace {

using testing::Recorder;

TEST_CASE("a launch has its operators up to the top level, and launches of one call share that one") {
  Recorder recorder;
  recorder.call({"aten::linear", "aten::addmm"}, {"gemm", "splitK"});
  recorder.call({"aten::relu"}, {"relu"});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  REQUIRE(launches.iterations().size() == 1);
  const auto sequence = launches.launches(0);
  REQUIRE(sequence.size() == 3);
  CHECK(sequence[0].call == sequence[1].call);
  CHECK(sequence[0].call != sequence[2].call);
  REQUIRE(launches.signature(sequence[0]).operators.size() == 2);
  CHECK(timeline.text(launches.signature(sequence[0]).operators.front()) == "aten::addmm");
  CHECK(timeline.text(launches.signature(sequence[0]).operators.back()) == "aten::linear");
  CHECK(launches.kernelName(sequence[1]) == "splitK");
}

TEST_CASE("regions of compilers and profilers are not framework calls") {
  Recorder recorder;
  recorder.call({"Torch-Compiled Region: 0/0", "aten::addmm"}, {"gemm"});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  REQUIRE(launches.launches(0).size() == 1);
  CHECK(timeline.text(timeline.host->name[launches.launches(0)[0].call]) == "aten::addmm");
}

TEST_CASE("an unknown operator around several others is a wrapper, not a call") {
  Recorder recorder;
  recorder.call({"mylib::step", "aten::linear", "aten::addmm"}, {"gemm", "splitK"});
  const Timeline one = recorder.finish();
  const auto knowsLinear = [](std::string_view name) { return name == "aten::linear"; };
  // Around one operator alone it is that operator's call.
  CHECK(Launches(one, knowsLinear).signatures()[0].operators.size() == 3);

  Recorder several;
  several.enclose("mylib::step", [&] {
    several.call({"aten::linear", "aten::addmm"}, {"gemm", "splitK"});
    several.call({"aten::eq"}, {"eq"});
  });
  const Timeline timeline = several.finish();
  const Launches launches(timeline, knowsLinear);
  const auto sequence = launches.launches(0);
  REQUIRE(sequence.size() == 3);
  CHECK(sequence[0].call == sequence[1].call);
  CHECK(timeline.text(timeline.host->name[sequence[0].call]) == "aten::linear");
  CHECK(timeline.text(timeline.host->name[sequence[2].call]) == "aten::eq");
  // Where a rule names it, it is a call with all that it encloses.
  const Launches known(timeline, [](std::string_view name) { return name == "mylib::step"; });
  CHECK(known.launches(0)[0].call == known.launches(0)[2].call);
}

TEST_CASE("a call holds the launches of its outermost operator, one without an operator only itself") {
  Recorder recorder;
  recorder.call({"aten::linear", "aten::addmm"}, {"gemm", "splitK"});
  recorder.call({}, {"copy"});
  recorder.call({}, {"copy"});
  recorder.call({"aten::relu"}, {"relu"});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto calls = launches.calls(0);
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].first == 0);
  CHECK(calls[0].count == 2);
  CHECK(timeline.text(timeline.host->name[calls[0].op]) == "aten::linear");
  CHECK(calls[0].events == std::vector<EventIndex>{0, 1});
  CHECK(calls[1].op.isNone());
  CHECK(calls[2].op.isNone());
  CHECK(calls[2].first == 3);
  CHECK(calls[3].events == std::vector<EventIndex>{4});
  for (const Call& call : calls) CHECK_FALSE(call.spill);
  CHECK(launches.outside(0).empty());
}

TEST_CASE("a call ends at the innermost module frame") {
  Recorder recorder;
  recorder.enclose("aten::apply", [&] {
    recorder.frame("nn.Module: Linear_0", [&] {
      recorder.call({"aten::linear", "aten::addmm"}, {"gemm"});
      recorder.call({"aten::relu"}, {"relu"});
    });
  });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto calls = launches.calls(0);
  REQUIRE(calls.size() == 2);
  CHECK(timeline.text(timeline.host->name[calls[0].op]) == "aten::linear");
  CHECK(timeline.text(timeline.host->name[calls[1].op]) == "aten::relu");
  for (const Call& call : calls) {
    REQUIRE_FALSE(call.frame.isNone());
    CHECK(timeline.text(timeline.host->name[call.frame]) == "nn.Module: Linear_0");
  }
}

TEST_CASE("a kernel without a launch spills in only before the first kernel with one") {
  Recorder recorder;
  recorder.kernelWithoutLaunch("early");
  recorder.call({"aten::relu"}, {"relu"});
  recorder.kernelWithoutLaunch("late");
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto calls = launches.calls(0);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].spill);
  CHECK_FALSE(calls[1].spill);
  CHECK_FALSE(calls[2].spill);
}

TEST_CASE("in a run without a device a call holds the stretches of all its operators") {
  Recorder recorder;
  recorder.call({"aten::linear", "aten::addmm"}, {});
  recorder.call({"aten::view"}, {});
  recorder.call({"aten::relu"}, {});
  const Timeline timeline = recorder.finish();
  REQUIRE_FALSE(timeline.hasDevice);
  const Launches launches(timeline);
  const auto calls = launches.calls(0);
  REQUIRE(calls.size() == 2);
  CHECK(timeline.text(timeline.host->name[calls[0].op]) == "aten::linear");
  // `linear` before and after `addmm`.
  REQUIRE(calls[0].events.size() == 3);
  CHECK(timeline.text(timeline.name[calls[0].events[1]]) == "aten::addmm");
  CHECK(timeline.text(timeline.name[calls[0].events[2]]) == "aten::linear");
  CHECK(calls[0].count == 1);
  CHECK(calls[1].events.size() == 1);
  // The view computes nothing and is in no call.
  const auto outside = launches.outside(0);
  REQUIRE(outside.size() == 1);
  CHECK(timeline.text(timeline.host->name[outside[0].op]) == "aten::view");
  CHECK_FALSE(outside[0].computes);
}

TEST_CASE("an operator that computes is a call also where those inside it leave it no time of its own") {
  Recorder recorder;
  recorder.coveredCall({"aten::linear", "aten::addmm", "aten::empty"});
  recorder.call({"aten::relu"}, {});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto calls = launches.calls(0);
  REQUIRE(calls.size() == 2);
  CHECK(timeline.text(timeline.host->name[calls[0].op]) == "aten::linear");
  CHECK(calls[0].events == std::vector<EventIndex>{0});
  const LaunchSignature& signature = launches.signature(launches.launches(0)[0]);
  CHECK(timeline.text(signature.name) == "aten::addmm");
  CHECK(signature.operators.size() == 2);
  CHECK(launches.outside(0).empty());
}

TEST_CASE("only regions of a compiler are generated code, not everything that is no operator") {
  Recorder recorder;
  recorder.coveredCall({"Torch-Compiled Region: 0/0"});
  recorder.coveredCall({"forward"});
  recorder.coveredCall({"AddmmBackward0"});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto outside = launches.outside(0);
  REQUIRE(outside.size() == 3);
  CHECK(outside[0].generated);
  CHECK_FALSE(outside[1].generated);
  CHECK_FALSE(outside[2].generated);
  CHECK(launches.hasGeneratedCode());
}

TEST_CASE("a call knows whether generated code ran since the one before it") {
  Recorder recorder;
  recorder.call({"aten::addmm"}, {});
  recorder.coveredCall({"Torch-Compiled Region: 0/0"});
  recorder.call({"aten::addmm"}, {});
  recorder.call({"aten::addmm"}, {});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  REQUIRE(launches.calls(0).size() == 3);
  CHECK_FALSE(launches.isAfterGenerated(0, 0));
  CHECK(launches.isAfterGenerated(0, 1));
  CHECK_FALSE(launches.isAfterGenerated(0, 2));
  CHECK_FALSE(launches.isAfterGenerated(0, 3));
}

TEST_CASE("a kernel may be generated code") {
  Recorder recorder;
  recorder.call({"aten::addmm"}, {"gemm"});
  recorder.call({}, {"triton_poi_fused_relu_0"});
  recorder.call({"aten::addmm"}, {"gemm"});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  REQUIRE(launches.calls(0).size() == 3);
  CHECK(launches.hasGeneratedCode());
  CHECK_FALSE(launches.isAfterGenerated(0, 1));
  CHECK(launches.isAfterGenerated(0, 2));
  CHECK_FALSE(launches.isAfterGenerated(0, 3));
}

TEST_CASE("generated code may end an iteration") {
  Recorder recorder;
  recorder.call({"aten::addmm"}, {});
  recorder.coveredCall({"Torch-Compiled Region: 0/0"});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  CHECK_FALSE(launches.isAfterGenerated(0, 0));
  CHECK(launches.isAfterGenerated(0, 1));
}

TEST_CASE("every stretch is in one call or outside of all") {
  Recorder recorder;
  recorder.enclose("aten::lstm", [&] {
    recorder.call({"aten::linear", "aten::addmm"}, {});
    recorder.call({"aten::empty"}, {});
  });
  recorder.call({"aten::copy_"}, {});
  recorder.call({"aten::empty"}, {});
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  std::vector<int> seen(timeline.size(), 0);
  for (const Call& call : launches.calls(0))
    for (const EventIndex event : call.events) ++seen[event];
  for (const EventOutsideCalls& outside : launches.outside(0)) ++seen[outside.event];
  CHECK(seen == std::vector<int>(timeline.size(), 1));
}

TEST_CASE("by names only, each launch is a call without operators and modules") {
  Recorder recorder;
  recorder.frame("nn.Module: Linear_0", [&] { recorder.call({"aten::linear", "aten::addmm"}, {"gemm", "splitK"}); });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline, {}, true);
  REQUIRE(launches.calls(0).size() == 2);
  for (const Call& call : launches.calls(0)) {
    CHECK(call.op.isNone());
    CHECK(call.frame.isNone());
    CHECK(call.count == 1);
  }
  for (const LaunchSignature& signature : launches.signatures()) CHECK(signature.operators.empty());
}

TEST_CASE("calls are told apart by iteration") {
  Recorder recorder;
  for (int step = 0; step < 2; ++step) {
    const int64_t from = recorder.now();
    for (int i = 0; i <= step; ++i) recorder.call({"aten::relu"}, {"relu"});
    recorder.step("ProfilerStep#" + std::to_string(step), from);
  }
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  REQUIRE(launches.iterations().size() == 2);
  CHECK(launches.calls(0).size() == 1);
  CHECK(launches.calls(1).size() == 2);
  CHECK(launches.signatures().size() == 1);
}

}  // namespace
}  // namespace amdahlc::binding
