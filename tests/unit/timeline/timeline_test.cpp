#include "timeline/timeline.h"

#include <doctest/doctest.h>

#include "tests/unit/timeline/timeline_fixture.h"

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
  CHECK(haveSameDeviceEvents(with, without));
}

TEST_CASE("device events that differ in anything are not the same") {
  const Timeline one = run(true);
  CHECK_FALSE(haveSameDeviceEvents(one, run(true, 401)));
  Run renamed, moved, fewer;
  renamed.kernel("a", 1, 100, 200);
  renamed.kernel("c", 2, 300, 400);
  CHECK_FALSE(haveSameDeviceEvents(one, renamed.finish()));
  moved.kernel("a", 1, 100, 200);
  moved.stream = moved.builder.track("0", "8", true);
  moved.kernel("b", 2, 300, 400);
  CHECK_FALSE(haveSameDeviceEvents(one, moved.finish()));
  fewer.kernel("a", 1, 100, 200);
  CHECK_FALSE(haveSameDeviceEvents(one, fewer.finish()));
}
