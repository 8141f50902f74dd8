/// Calls that wait without saying so, and calls that only look like that. `tests/checks/schedule/simulated_runs.py` has
/// programs in which such waits matter, and long calls that end with events by chance.
#include "replay/schedule/implicit_waits.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "replay/schedule/hand_overs.h"
#include "replay/schedule/run_calls.h"
#include "replay/schedule/run_schedule.h"
#include "tests/unit/replay/schedule/run_builder.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

/// A program of turns: a kernel, and a call until after its end.
class Turns {
 public:
  RunBuilder run;
  int64_t atNs = 100 * us;

  /// The time of the call, which ends `lateNs` after the kernel.
  RunBuilder::Place kernel(int64_t lateNs = 3 * us) {
    run.launch({atNs, atNs + 5 * us}, ++correlation_);
    // No two lengths are equal, so that ends are at no common distance.
    const int64_t endNs = atNs + (60 + 7 * correlation_ * correlation_) * us;
    run.kernel("k", {atNs + 10 * us, endNs}, correlation_);
    const RunBuilder::Place call{atNs + 8 * us, endNs + lateNs};
    atNs = call.endNs + 100 * us;
    return call;
  }
  /// A run of queries.
  void poll(RunBuilder::Place at) {
    for (int64_t ns = at.startNs; ns < at.endNs - 5 * us; ns += 10 * us) run.call("cudaEventQuery", {ns, ns + 5 * us});
    run.call("cudaEventQuery", {at.endNs - 4 * us, at.endNs});
  }

 private:
  int64_t correlation_ = 0;
};

std::vector<std::string> namesOfWaits(const RunCalls& calls) {
  std::vector<std::string> names;
  for (const Call& call : calls.calls())
    if (call.waits()) names.emplace_back(calls.name(call));
  return names;
}

}  // namespace

TEST_CASE("long calls that end with events are waits, whatever their name") {
  Turns turns;
  for (int i = 0; i < 3; ++i) turns.run.call("vendorFlush", turns.kernel());
  for (int i = 0; i < 3; ++i) turns.poll(turns.kernel());
  const Timeline timeline = turns.run.finish();
  const RunCalls calls(timeline);
  CHECK(namesOfWaits(calls) == std::vector<std::string>{"vendorFlush", "vendorFlush", "vendorFlush", "cudaEventQuery",
                                                        "cudaEventQuery", "cudaEventQuery"});
  // A call waits for all work, a run of queries for an event.
  CHECK(calls.calls()[1].meaning == DeviceCall::DeviceSync);
  CHECK(calls.calls()[7].awaited == 3);
  CHECK(calls.calls()[7].endNs == timeline.endNs(3) + 3 * us);
}

TEST_CASE("calls that do not end with events, or are as long while the device is idle, are no waits") {
  Turns turns;
  SUBCASE("two calls") {
    for (int i = 0; i < 2; ++i) turns.run.call("vendorFlush", turns.kernel());
  }
  SUBCASE("half of the calls end with an event") {
    for (int i = 0; i < 6; ++i) turns.run.call("vendorFlush", turns.kernel(i % 2 == 0 ? 3 * us : 40 * us));
  }
  SUBCASE("calls are as long while the device is idle") {
    for (int i = 0; i < 4; ++i) {
      turns.run.call("vendorFlush", turns.kernel());
      if (i > 0) turns.run.call("vendorFlush", {turns.atNs - 50 * us, turns.atNs - 10 * us});
    }
  }
  SUBCASE("the device is so busy that every call ends near an event") {
    for (int i = 1; i <= 100; ++i) {
      turns.run.launch({i * 10 * us, i * 10 * us + us}, i, "2");
      turns.run.kernel("k", {i * 10 * us + 2 * us, i * 10 * us + 9 * us}, i);
    }
    for (int i = 1; i <= 3; ++i) turns.run.call("vendorFlush", {i * 200 * us, i * 200 * us + (100 + 7 * i) * us});
  }
  SUBCASE("some calls of the name launch") {
    for (int i = 0; i < 3; ++i) turns.run.call("vendorLaunch", turns.kernel());
  }
  SUBCASE("single queries") {
    for (int i = 0; i < 3; ++i) turns.run.call("cudaEventQuery", turns.kernel());
  }
  SUBCASE("queries that are far from one another") {
    for (int i = 0; i < 3; ++i) {
      const RunBuilder::Place at = turns.kernel();
      turns.run.call("cudaEventQuery", {at.startNs, at.startNs + us});
      turns.run.call("cudaEventQuery", {at.endNs - us, at.endNs});
    }
  }
  const Timeline timeline = turns.run.finish();
  CHECK(namesOfWaits(RunCalls(timeline)).empty());
}

TEST_CASE("chance hits no event that was launched after the call ended") {
  // An event ends every 1 us, launched 0.1 us before. Each call ends 0.95 us after one of them, when the next one is
  // launched.
  RunBuilder run;
  for (int i = 1; i <= 900; ++i) {
    run.launch({i * us - 100, i * us - 90}, i, "2");
    run.kernel("k", {i * us - 50, i * us}, i);
  }
  for (int i = 1; i <= 3; ++i) run.call("vendorFlush", {i * 200 * us + 20 * us, i * (200 + i) * us + 50 * us + 950});
  const Timeline timeline = run.finish();
  CHECK(namesOfWaits(RunCalls(timeline)) == std::vector<std::string>{"vendorFlush", "vendorFlush", "vendorFlush"});
}

TEST_CASE("each query of a run that waits is a part of it, also a long one") {
  RunBuilder run;
  int64_t atNs = 0;
  run.step("ProfilerStep#0", {0, 10'000 * us});
  for (int i = 1; i <= 3; ++i) {
    const int64_t endNs = atNs + (300 + 7 * i * i) * us;
    run.launch({atNs, atNs + 5 * us}, i);
    run.kernel("k", {atNs + 10 * us, endNs}, i);
    for (int query = 0; query < 5; ++query)
      run.call("cudaEventQuery", {atNs + (10 + 2 * query) * us, atNs + (11 + 2 * query) * us});
    run.call("cudaEventQuery", {atNs + 20 * us, endNs + 3 * us});
    atNs = endNs + 200 * us;
  }
  const Timeline timeline = run.finish();
  const RunSchedule schedule = runSchedule(RunModel(timeline));
  REQUIRE(schedule.hostWaits.size() == 1);
  CHECK(schedule.hostWaits.front().calls == 3);
  CHECK(schedule.auditNs == 0);
}

TEST_CASE("of calls inside one another, the innermost waits; inside a call that says that it waits, none") {
  Turns turns;
  for (int i = 0; i < 3; ++i) {
    const RunBuilder::Place at = turns.kernel();
    turns.run.call("outer", at);
    turns.run.call("inner", {at.startNs + us, at.endNs - us});
  }
  for (int i = 0; i < 3; ++i) {
    const RunBuilder::Place at = turns.kernel();
    turns.run.call("cudaStreamSynchronize", at);
    turns.run.call("part", {at.startNs + us, at.endNs - us});
  }
  const Timeline timeline = turns.run.finish();
  CHECK(namesOfWaits(RunCalls(timeline)) == std::vector<std::string>{"inner", "inner", "inner", "cudaStreamSynchronize",
                                                                     "cudaStreamSynchronize", "cudaStreamSynchronize"});
}

TEST_CASE("a thread that asks until work is done does not pause") {
  Turns turns;
  for (int i = 0; i < 3; ++i) {
    const RunBuilder::Place at = turns.kernel();
    turns.poll(at);
    turns.run.op("other", {at.startNs + 20 * us, at.startNs + 30 * us}, "2");
  }
  turns.run.launch({turns.atNs, turns.atNs + us}, 99, "2");
  turns.run.kernel("k", {turns.atNs + 10 * us, turns.atNs + 11 * us}, 99);
  const Timeline timeline = turns.run.finish();
  const RunCalls calls(timeline);
  // Between its turns the thread pauses, but nobody ends its work there.
  CHECK(HandOvers(calls).of(0).empty());
}
