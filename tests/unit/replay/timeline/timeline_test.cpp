#include "replay/timeline/timeline.h"

#include <doctest/doctest.h>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

/// Two kernels; without host events if `withHost` is false.
Timeline run(bool withHost, int64_t lastEndNs = 400) {
  Run recorded;
  if (withHost) {
    recorded.op("aten::add", 10, 60);
    recorded.call(1, 20, 30);
    recorded.call(2, 40, 50);
  }
  recorded.kernel("a", 1, 100, 200);
  recorded.kernel("b", 2, 300, lastEndNs);
  return recorded.finish();
}

}  // namespace

TEST_CASE("device events have the same numbers with and without host events") {
  const Timeline with = run(true), without = run(false);
  CHECK(with.size() == 2);
  CHECK(with.host->size() == 3);
  REQUIRE(without.host);
  CHECK(without.host->size() == 0);
  CHECK(without.host->launch == std::vector<HostEventId>(2));
  CHECK(deviceEventDifference(with, without).empty());
}

TEST_CASE("the first difference between device events is reported") {
  const Timeline one = run(true);
  CHECK(deviceEventDifference(one, run(true, 401)) == "event 1 lasts 100 ns, but 101 ns in the trace");
  Run renamed, moved, fewer, later, relaunched;
  renamed.kernel("a", 1, 100, 200);
  renamed.kernel("c", 2, 300, 400);
  CHECK(deviceEventDifference(one, renamed.finish()) == "event 1 is `b`, but `c` in the trace");
  moved.kernel("a", 1, 100, 200);
  moved.stream = moved.builder.track("0", "8", true);
  moved.kernel("b", 2, 300, 400);
  CHECK(deviceEventDifference(one, moved.finish()) == "event 1 runs on stream `0/7`, but on stream `0/8` in the trace");
  fewer.kernel("a", 1, 100, 200);
  CHECK(deviceEventDifference(one, fewer.finish()) == "it has 2 device events, but 1 in the trace");
  later.kernel("a", 1, 100, 200);
  later.kernel("b", 2, 301, 401);
  CHECK(deviceEventDifference(one, later.finish()) == "event 1 starts at 300 ns, but 301 ns in the trace");
  relaunched.kernel("a", 1, 100, 200);
  relaunched.kernel("b", 3, 300, 400);
  CHECK(deviceEventDifference(one, relaunched.finish()) == "event 1 has the correlation 2, but 3 in the trace");
  Timeline outside = run(true);
  outside.iteration[0] = kNoIteration;
  CHECK(deviceEventDifference(one, outside) == "event 0 is in iteration 0, but in no iteration in the trace");
}
