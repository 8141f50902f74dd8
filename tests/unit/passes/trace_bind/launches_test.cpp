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

TEST_CASE("the representative iteration is the one that most others equal") {
  Recorder recorder;
  const std::vector<std::vector<std::string>> steps{{"a", "check", "b"}, {"a", "b"}, {"a", "b"}, {"b", "a"}};
  for (size_t i = 0; i < steps.size(); ++i) {
    const int64_t from = recorder.now();
    for (const std::string& kernel : steps[i]) recorder.call({"aten::" + kernel}, {kernel});
    recorder.step("ProfilerStep#" + std::to_string(i), from);
  }
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  REQUIRE(launches.iterations().size() == 4);
  CHECK(launches.representative() == 1);
  CHECK(launches.sameSequence(1, 2));
  CHECK_FALSE(launches.sameSequence(1, 3));
  CHECK_FALSE(launches.sameSequence(0, 1));
}

}  // namespace
}  // namespace amdahlc::binding
