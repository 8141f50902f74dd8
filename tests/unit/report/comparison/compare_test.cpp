#include "report/comparison/compare.h"

#include <doctest/doctest.h>

#include "report/comparison/regressions.h"

using namespace amdahlc;
using namespace amdahlc::comparison;

namespace {

MeasuredTime time(int64_t meanNs, double deviation = 0, int64_t iterations = 5) {
  return {meanNs, deviation, iterations};
}

MeasuredKernel kernel(std::string label, std::vector<std::string> nodes, MeasuredTime measured,
                      std::string scope = "") {
  return {std::move(label), std::move(nodes), std::move(scope), measured};
}

MeasuredRun run(MeasuredTime busy, std::vector<MeasuredKernel> kernels = {}) {
  MeasuredRun made;
  made.busy = busy;
  made.kernels = std::move(kernels);
  return made;
}

}  // namespace

TEST_CASE("a difference is judged by the interval of the means") {
  const auto judged = [](MeasuredTime before, MeasuredTime after) {
    return compare(run(before), run(after)).totals.front().judgement.change;
  };
  CHECK(judged(time(1000, 10), time(1100, 10)) == Change::Slower);
  CHECK(judged(time(1100, 10), time(1000, 10)) == Change::Faster);
  CHECK(judged(time(1000, 100), time(1010, 100)) == Change::WithinNoise);
  CHECK(judged(time(1000), time(1000)) == Change::WithinNoise);
  CHECK(judged(time(1000), time(1001)) == Change::Slower);
  CHECK(judged(time(1000, 10, 2), time(1100, 10)) == Change::NoiseUnknown);
  CHECK(judged(time(1000, 10), {1100, std::nullopt, 5}) == Change::NoiseUnknown);
}

TEST_CASE("kernels of both runs are matched by their nodes, not by their labels") {
  const Comparison c = compare(run(time(30), {kernel("gemm", {"a"}, time(10)), kernel("relu", {"b"}, time(20))}),
                               run(time(35), {kernel("relu", {"b"}, time(20)), kernel("linear", {"a"}, time(15))}));
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].name == "gemm -> linear");
  CHECK(c.kernels[0].node == "a");
  CHECK(c.kernels[0].differenceNs() == 5);
  CHECK(c.kernels[1].name == "relu");
  CHECK(c.kernels[1].isNoise());
}

TEST_CASE("kernels that group operators differently are one row, and deviations add up at most") {
  const Comparison c =
      compare(run(time(60), {kernel("gemm", {"a"}, time(10, 1)), kernel("add", {"b"}, time(20, 2)),
                             kernel("gelu", {"c", "d"}, time(30, 3))}),
              run(time(40), {kernel("fused", {"b", "a"}, time(25, 1)), kernel("gelu", {"c", "d"}, time(15, 1))}));
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].name == "gelu");
  CHECK(c.kernels[1].name == "add, gemm -> fused");
  CHECK(c.kernels[1].node == "b");
  CHECK(c.kernels[1].before->meanNs == 30);
  CHECK(*c.kernels[1].before->standardDeviationNs == 3);
  CHECK(c.kernels[1].after->meanNs == 25);
}

TEST_CASE("a kernel of one run only is new or gone") {
  const Comparison c =
      compare(run(time(10), {kernel("old", {"a"}, time(10))}), run(time(10), {kernel("now", {"b"}, time(10))}));
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].name == "now");
  CHECK(c.kernels[0].isOnlyAfter());
  CHECK(c.kernels[1].isOnlyBefore());
  CHECK_FALSE(c.kernels[0].relative());
}

TEST_CASE("runs are not comparable that are not to be trusted, do different work, or have no node in common") {
  using enum Absence::Reason;
  const auto reason = [](const MeasuredRun& before, const MeasuredRun& after) -> std::optional<Absence::Reason> {
    const auto why = compare(before, after).notComparable;
    return why ? std::optional(why->reason) : std::nullopt;
  };
  MeasuredRun once = run(time(100), {kernel("linear", {"a"}, time(100))});
  once.forwards = 1;
  MeasuredRun strange = once, twice = once, unknown = once;
  strange.distrust = "do not trust: ...";
  twice.forwards = 2;
  unknown.forwards = std::nullopt;
  CHECK(reason(once, once) == std::nullopt);
  CHECK(reason(twice, unknown) == std::nullopt);
  CHECK(reason(strange, once) == BaselineNotTrusted);
  CHECK(reason(once, strange) == RunNotTrusted);
  CHECK(reason(once, twice) == OtherForwards);
  CHECK(reason(once, run(time(100), {kernel("linear", {"b"}, time(100))})) == NothingInCommon);
}

TEST_CASE("a regression is beyond the limit and beyond noise") {
  const auto count = [](const MeasuredRun& before, const MeasuredRun& after, int64_t limit) {
    return regressions(compare(before, after), {limit}).size();
  };
  CHECK(count(run(time(1000)), run(time(1030)), 3000) == 0);  // not more than 3 %
  CHECK(count(run(time(1000)), run(time(1031)), 3000) == 1);
  CHECK(count(run(time(1000, 100)), run(time(1031, 100)), 3000) == 0);        // noise
  CHECK(count(run(time(1000, 100, 2)), run(time(1031, 100, 2)), 3000) == 1);  // noise is unknown
  CHECK(count(run(time(1000)), run(time(900)), 0) == 0);
  // A kernel grew by 4 % of busy time, which another makes up for.
  const MeasuredRun before = run(time(1000), {kernel("a", {"a"}, time(500)), kernel("b", {"b"}, time(500))});
  const MeasuredRun after = run(time(1000), {kernel("a", {"a"}, time(540)), kernel("b", {"b"}, time(460))});
  CHECK(count(before, after, 3000) == 1);
  CHECK(count(before, after, 4000) == 0);
}

TEST_CASE("new kernels count net of those that are gone over the same module, or one inside it") {
  // Names of kernels that regress: `old`, of 100 ns in the module `scopeBefore`, became `new` in `scopeAfter`.
  const auto failing = [](std::string scopeBefore, int64_t afterNs, std::string scopeAfter, bool singleKernels) {
    const MeasuredKernel same = kernel("same", {"s"}, time(900), "other");
    const Comparison c = compare(run(time(1000), {same, kernel("old", {"a"}, time(100), std::move(scopeBefore))}),
                                 run(time(1000), {same, kernel("new", {"b"}, time(afterNs), std::move(scopeAfter))}));
    std::string names;
    for (const Regression& one : regressions(c, {3000, singleKernels})) names += one.message.substr(0, 22);
    return names;
  };
  CHECK(failing("layer", 80, "layer", false).empty());
  CHECK(failing("layer", 130, "layer", false).empty());  // not more than 3 % of busy time
  CHECK(failing("layer", 131, "layer", false) == "kernel `old -> new` at");
  CHECK(failing("layer.attention", 80, "layer", false).empty());
  CHECK(failing("layer", 80, "layer.attention", false).empty());
  CHECK(failing("", 80, "", false).empty());
  for (const char* elsewhere : {"layer2", "lay", "", "layer.mlp"})
    CHECK_MESSAGE(failing("layer.attention", 80, elsewhere, false) == "kernel `new` at `b` is", elsewhere);
  CHECK(failing("layer", 80, "layer", true) == "kernel `new` at `b` is");
}

TEST_CASE("nothing regresses where busy and wall both fell, unless single kernels are asked for") {
  const auto count = [](MeasuredTime busyAfter, MeasuredTime wallAfter, bool singleKernels) {
    MeasuredRun before = run(time(1000, 1), {kernel("a", {"a"}, time(100)), kernel("b", {"b"}, time(900))});
    MeasuredRun after = run(busyAfter, {kernel("a", {"a"}, time(200)), kernel("b", {"b"}, time(700))});
    before.wall = time(2000, 1);
    after.wall = wallAfter;
    return regressions(compare(before, after), {3000, singleKernels}).size();
  };
  CHECK(count(time(900, 1), time(1900, 1), false) == 0);
  CHECK(count(time(900, 1), time(1900, 1), true) == 1);
  CHECK(count(time(900, 1), time(2000, 1), false) == 1);
  CHECK(count(time(1000, 1), time(1900, 1), false) == 1);
  CHECK(count(time(900, 500), time(1900, 1), false) == 1);  // noise
  CHECK(count({900, std::nullopt, 5}, time(1900, 1), false) == 0);
}
