#include "report/comparison/compare.h"

#include <doctest/doctest.h>

#include "report/comparison/regressions.h"

using namespace amdahlc;
using namespace amdahlc::comparison;

namespace {

/// Of five iterations, two of them longer and two shorter.
MeasuredTime time(int64_t ns, int64_t spread = 0) {
  return MeasuredTime(Samples{{ns, ns + spread, ns - spread, ns - spread / 2, ns + spread / 2}});
}

MeasuredKernel kernel(std::string label, std::vector<std::string> nodes, MeasuredTime measured, std::string scope = "",
                      std::string category = "other") {
  return {std::move(label), std::move(nodes), std::move(scope), std::move(category), std::move(measured)};
}

MeasuredRun run(MeasuredTime busy, std::vector<MeasuredKernel> kernels = {}) {
  MeasuredRun made;
  made.busy = std::move(busy);
  made.kernels = std::move(kernels);
  return made;
}

std::vector<GateRow> regressions(const MeasuredRun& before, const MeasuredRun& after, const RegressionLimit& limit) {
  std::vector<GateRow> rows = gateRows(compare(before, after), limit);
  std::erase_if(rows, [](const GateRow& row) { return row.regression.empty(); });
  return rows;
}

}  // namespace

TEST_CASE("kernels of both runs are matched by their nodes, not by their labels") {
  const Comparison c = compare(run(time(30), {kernel("gemm", {"a"}, time(10)), kernel("relu", {"b"}, time(20))}),
                               run(time(35), {kernel("relu", {"b"}, time(20)), kernel("linear", {"a"}, time(15))}));
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].name == "gemm -> linear");
  CHECK(c.kernels[0].node == "a");
  CHECK(c.kernels[0].differenceNs() == 5);
  CHECK(c.kernels[0].judgement.change == Change::Slower);
  CHECK(c.kernels[1].name == "relu");
  CHECK(c.kernels[1].isNoise());
}

TEST_CASE("kernels that group operators differently are one row, whose time is their sum in each iteration") {
  const Comparison c =
      compare(run(time(60), {kernel("gemm", {"a"}, time(10, 4)), kernel("add", {"b"}, time(20, -4)),
                             kernel("gelu", {"c", "d"}, time(30, 3))}),
              run(time(40), {kernel("fused", {"b", "a"}, time(25, 1)), kernel("gelu", {"c", "d"}, time(15, 1))}));
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].name == "gelu");
  CHECK(c.kernels[1].name == "add, gemm -> fused");
  CHECK(c.kernels[1].node == "b");
  CHECK(c.kernels[1].before->ns == 30);
  CHECK(c.kernels[1].before->samplesNs == Samples{{30, 30, 30, 30, 30}});
  CHECK(c.kernels[1].after->ns == 25);
}

TEST_CASE("sums of times of which iterations are unknown are sums of what reports state") {
  const Comparison c = compare(
      run(MeasuredTime(30), {kernel("gemm", {"a"}, MeasuredTime(10)), kernel("add", {"b"}, MeasuredTime(INT64_MAX))}),
      run(time(25), {kernel("fused", {"b", "a"}, time(25))}));
  REQUIRE(c.kernels.size() == 1);
  CHECK(c.kernels[0].before->ns == INT64_MAX);
  CHECK(c.kernels[0].judgement.change == Change::NoiseUnknown);
}

TEST_CASE("busy time is the undisturbed one where both runs have it") {
  MeasuredRun before = run(time(100)), after = run(time(120));
  before.undisturbedBusyNs = 90;
  CHECK(compare(before, after).totals.front().name == "busy");
  CHECK(compare(before, after).totals.front().before->ns == 100);
  after.undisturbedBusyNs = 91;
  const Difference busy = compare(before, after).totals.front();
  CHECK(busy.name == "median busy");
  CHECK(busy.differenceNs() == 1);
  CHECK(busy.isNoise());
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

TEST_CASE("work that unexplained time of a run may hold is neither gone nor faster, and fails no gate") {
  const auto made = [](int64_t pool, int64_t unexplained) {
    MeasuredRun result = run(time(100), {kernel("conv", {"c"}, time(60), "block.conv", "conv"),
                                         kernel("pool", {"p"}, time(pool), "block.pool", "pool")});
    result.kernels.back().isMissed = pool == 0;
    result.unexplainedNs = unexplained;
    result.categories = {{"conv", time(60)}, {"pool", time(pool)}};
    result.scopes = {{"block", time(60 + pool)}, {"block.conv", time(60)}, {"block.pool", time(pool)}};
    return result;
  };
  const Comparison c = compare(made(30, 0), made(0, 40));
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].isNoise());  // rows of which all is known come first
  CHECK(c.kernels[1].name == "pool");
  CHECK(c.kernels[1].isUnknown());
  CHECK_FALSE(c.kernels[1].isOnlyBefore());
  CHECK_FALSE(c.kernels[1].after);
  CHECK(c.kernels[1].unexplainedAfterNs == 40);
  CHECK(c.categories[1].isUnknown());
  REQUIRE(c.scopes.size() == 3);
  CHECK(c.scopes[0].name == "block.conv");
  CHECK(c.scopes[1].name == "block");
  CHECK(c.scopes[1].isUnknown());
  CHECK(c.scopes[1].after->ns == 60);
  CHECK(c.scopes[2].name == "block.pool");
  // As new work it fails no gate. Where the unexplained time cannot hold it, what has time in both runs does.
  const RegressionLimit limit{1000, true};
  CHECK(regressions(made(0, 40), made(30, 0), limit).empty());
  CHECK(regressions(made(0, 10), made(30, 0), limit).size() == 1);
  CHECK(compare(made(30, 0), made(0, 10)).kernels[1].isUnknown());
  // Less than drift is nothing, and without unexplained time the work is gone.
  CHECK(compare(made(30, 0), made(0, 1)).kernels[0].unexplainedAfterNs == 0);
  CHECK(compare(made(30, 0), made(0, 0)).kernels[0].isOnlyBefore());
}

TEST_CASE(
    "runs are not comparable that are not to be trusted, do different work, have other statistics, or no node in "
    "common") {
  using enum Absence::Reason;
  const auto reason = [](const MeasuredRun& before, const MeasuredRun& after) -> std::optional<Absence::Reason> {
    const auto why = compare(before, after).notComparable;
    return why ? std::optional(why->reason) : std::nullopt;
  };
  MeasuredRun once = run(time(100), {kernel("linear", {"a"}, time(100))});
  once.forwards = 1;
  MeasuredRun strange = once, twice = once, unknown = once;
  strange.distrust = "do not trust: ...";
  MeasuredRun ofMeans = once;
  ofMeans.average = Average::Mean;
  twice.forwards = 2;
  unknown.forwards = std::nullopt;
  CHECK(reason(once, once) == std::nullopt);
  CHECK(reason(twice, unknown) == std::nullopt);
  CHECK(reason(strange, once) == BaselineNotTrusted);
  CHECK(reason(once, strange) == RunNotTrusted);
  CHECK(reason(once, twice) == OtherForwards);
  CHECK(reason(once, ofMeans) == OtherStatistic);
  CHECK(reason(ofMeans, ofMeans) == std::nullopt);
  CHECK(reason(once, run(time(100), {kernel("linear", {"b"}, time(100))})) == NothingInCommon);
}

TEST_CASE("a regression is beyond the limit and beyond noise") {
  const auto count = [](MeasuredTime before, MeasuredTime after, int64_t limit) {
    return regressions(run(std::move(before)), run(std::move(after)), {limit}).size();
  };
  CHECK(count(time(1000), time(1080), 8000) == 0);  // not more than 8 %
  CHECK(count(time(1000), time(1081), 8000) == 1);
  CHECK(count(time(1000), time(1050), 0) == 0);               // drift
  CHECK(count(time(1000, 400), time(1081, 400), 3000) == 0);  // noise
  CHECK(count(time(1000), time(900), 0) == 0);
  // Without noise, the limit is larger by the drift.
  CHECK(count(MeasuredTime(1000), MeasuredTime(1080), 3000) == 0);
  CHECK(count(MeasuredTime(1000), MeasuredTime(1081), 3000) == 1);
}

TEST_CASE("groups count by their share of busy time, and single kernels if they are asked for") {
  // A kernel grew by 4 % of busy time, which another makes up for.
  const auto failing = [](std::string scope, std::string category, const RegressionLimit& limit) {
    const auto b = [&](int64_t ns) { return kernel("b", {"b"}, time(ns), "x.b", "gemm"); };
    std::string names;
    for (const GateRow& row :
         regressions(run(time(1000), {kernel("a", {"a"}, time(500), scope, category), b(500)}),
                     run(time(1000), {kernel("a", {"a"}, time(540), scope, category), b(460)}), limit))
      names += row.regression.substr(0, row.regression.find(" went")) + ";";
    return names;
  };
  CHECK(failing("x.a", "copy", {3000}) == "category `copy`;module scope `x.a`;");
  CHECK(failing("x.a", "copy", {4000}).empty());
  CHECK(failing("x.b", "copy", {3000}) == "category `copy`;");
  CHECK(failing("x.b.a", "gemm", {3000}) == "module scope `x.b.a`;");
  CHECK(failing("x.b", "gemm", {3000}).empty());
  CHECK(failing("x.b", "gemm", {3000, true}) == "kernel `a` at `a`;");
}

TEST_CASE("new kernels count net of those that are gone over the same module, or one inside it") {
  // Rows that regress: `old`, of 100 ns in the module `scopeBefore`, became `new` in `scopeAfter`.
  const auto failing = [](std::string scopeBefore, int64_t afterNs, std::string scopeAfter, bool singleKernels) {
    const MeasuredKernel same = kernel("same", {"s"}, time(900), "other");
    std::string names;
    for (const GateRow& row :
         regressions(run(time(1000), {same, kernel("old", {"a"}, time(100), std::move(scopeBefore), "gemm")}),
                     run(time(1000), {same, kernel("new", {"b"}, time(afterNs), std::move(scopeAfter), "attention")}),
                     {3000, singleKernels}))
      names += row.difference.name + ";";
    return names;
  };
  CHECK(failing("layer", 80, "layer", false).empty());
  CHECK(failing("layer", 130, "layer", false).empty());  // not more than 3 % of busy time
  CHECK(failing("layer", 131, "layer", false) == "attention;layer;");
  CHECK(failing("layer.attention", 80, "layer", false).empty());
  CHECK(failing("layer", 80, "layer.attention", false).empty());
  CHECK(failing("", 80, "", false).empty());
  CHECK(failing("layer.attention", 80, "layer2", false) == "attention;layer2;");
  CHECK(failing("layer.attention", 80, "lay", false) == "attention;lay;");
  CHECK(failing("layer.attention", 80, "", false) == "attention;");
  CHECK(failing("layer.attention", 80, "layer.mlp", false) == "attention;layer.mlp;");
  CHECK(failing("layer", 80, "layer", true) == "new;");
}

TEST_CASE("nothing regresses where busy and wall both fell, unless single kernels are asked for") {
  const auto count = [](MeasuredTime busyAfter, MeasuredTime wallAfter, bool singleKernels) {
    MeasuredRun before = run(time(1000, 1), {kernel("a", {"a"}, time(100)), kernel("b", {"b"}, time(900))});
    MeasuredRun after = run(std::move(busyAfter), {kernel("a", {"a"}, time(200)), kernel("b", {"b"}, time(700))});
    before.wall = time(2000, 1);
    after.wall = std::move(wallAfter);
    for (MeasuredRun* one : {&before, &after}) one->kernels[1].category = "gemm";
    return regressions(before, after, {3000, singleKernels}).size();
  };
  CHECK(count(time(900, 1), time(1800, 1), false) == 0);
  CHECK(count(time(900, 1), time(1800, 1), true) == 2);
  CHECK(count(time(900, 1), time(2000, 1), false) == 1);
  CHECK(count(time(1000, 1), time(1800, 1), false) == 1);
  CHECK(count(time(900, 500), time(1800, 1), false) == 1);  // noise
  CHECK(count(MeasuredTime(900), time(1800, 1), false) == 0);
}
