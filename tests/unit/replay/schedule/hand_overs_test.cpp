#include "replay/schedule/hand_overs.h"

#include <doctest/doctest.h>

#include "tests/unit/replay/schedule/run_builder.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

void launch(RunBuilder& run, int64_t atNs, int64_t correlation, const std::string& thread) {
  run.launch({atNs, atNs + 5 * us}, correlation, thread);
  run.kernel("k", {atNs + 10 * us, atNs + 12 * us}, correlation);
}

}  // namespace

TEST_CASE("a pause after which another thread rests is a hand-over from the one that ended last") {
  RunBuilder run;
  launch(run, 0, 1, "1");
  launch(run, 0, 2, "2");
  launch(run, 10 * us, 3, "3");
  launch(run, 50 * us, 4, "1");
  const Timeline timeline = run.finish();
  const RunCalls calls(timeline);
  const HandOvers handOvers(calls);
  const auto& first = handOvers.of(0);
  REQUIRE(first.size() == 1);
  CHECK(first[0].resumesNs == 50 * us);
  CHECK(first[0].restsNs == 15 * us);
  CHECK(first[0].from == 2);
}

TEST_CASE("a short pause, one in which nobody ended, and one at whose end the other still runs are no hand-overs") {
  RunBuilder run;
  launch(run, 0, 1, "1");
  launch(run, 6 * us, 2, "2");
  launch(run, 24 * us, 3, "1");  // a pause of 19 us
  launch(run, 60 * us, 4, "1");  // nobody ended in it
  run.op("aten::mm", {70 * us, 200 * us}, "2");
  launch(run, 150 * us, 5, "1");  // the other one runs
  const Timeline timeline = run.finish();
  const RunCalls calls(timeline);
  const HandOvers handOvers(calls);
  CHECK(handOvers.of(0).empty());
}

TEST_CASE("to ask whether work is done is no activity") {
  RunBuilder run;
  launch(run, 0, 1, "1");
  launch(run, 8 * us, 2, "2");
  for (int64_t atNs = 6 * us; atNs < 60 * us; atNs += 10 * us) run.call("cudaEventQuery", {atNs, atNs + us});
  launch(run, 60 * us, 3, "1");
  const Timeline timeline = run.finish();
  const RunCalls calls(timeline);
  CHECK(HandOvers(calls).of(0).size() == 1);
}
