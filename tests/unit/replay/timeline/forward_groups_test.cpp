#include "replay/timeline/forward_groups.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/replay/timeline/timeline_fixture.h"

namespace amdahlc {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

/// Forwards of a decoder with 2-dimensional heads, one after the other.
class Loop {
 public:
  void op(std::string_view name, Shapes shapes) {
    RawEvent event;
    event.kind = EventKind::Operator;
    event.name = name;
    event.startNs = nowNs_;
    event.durationNs = 80;
    event.track = run_.host;
    event.recordOrder = run_.record++;
    event.facts = run_.builder.facts(OperatorFacts{std::move(shapes), {}});
    run_.builder.add(event);
    run_.call(number_, nowNs_ + 10, nowNs_ + 20);
    run_.kernel("kernel", number_, nowNs_ + 1000, nowNs_ + 1000 + lengthNs);
    ++number_;
    nowNs_ += 100;
  }
  /// `tokens` are computed with a cache of `cached` others.
  void forward(int64_t tokens, int64_t cached, int64_t batch = 2) {
    const int64_t all = cached + tokens, startNs = nowNs_;
    nowNs_ += 10;
    op("linear", {{batch, tokens, 8}, {8, 8}});
    op("attention", {{batch, 4, tokens, 2}, {batch, 4, all, 2}, {batch, 4, all, 2}});
    op("mask", {{tokens, all}});
    op("linear", {{batch, tokens, 8}, {16, 8}});
    run_.module("nn.Module: Decoder_0", startNs, nowNs_);
    // What chooses the next token is no part of the forward.
    op("argmax", {{batch, 16}});
  }
  /// Names, numbers of forwards and their busy times.
  std::vector<std::string> groups(Average average = Average::Median) {
    Timeline timeline = run_.finish(StepSelection::Whole);
    timeline.average = average;
    const auto spans = spansOfModule(timeline);
    const auto found = groupForwards(timeline, spans, classesByShapes(timeline, spans));
    if (!found) return {describe(*found.absence())};
    std::vector<std::string> out;
    for (const ForwardGroup& group : found->groups)
      out.push_back(group.name + ' ' + std::to_string(group.members.size()) + ' ' +
                    std::to_string(found->busyNs(timeline, group)) + ' ' +
                    std::to_string(*found->wallNs(timeline, group)));
    return out;
  }
  /// What follows is done by another thread, from a time on.
  void thread(std::string_view name, int64_t ns) {
    run_.host = run_.builder.track("100", name, false);
    nowNs_ = ns;
  }
  int64_t lengthNs = 40;

 private:
  testing::Run run_;
  int64_t nowNs_ = 1000, number_ = 1;
};

using Names = std::vector<std::string>;

TEST_CASE("a cache may grow: forwards of one token are one group, which decodes what another one filled") {
  Loop loop;
  loop.forward(7, 0);
  loop.lengthNs = 10;
  for (int64_t cached = 7; cached < 10; ++cached) loop.forward(1, cached);
  CHECK(loop.groups() == Names{"prefill 1 160 340", "decode 3 40 310"});
}

TEST_CASE("a second request has a prefill of its own length, and the same decode") {
  Loop loop;
  for (const int64_t prompt : {7, 4}) {
    loop.forward(prompt, 0);
    loop.forward(1, prompt);
  }
  CHECK(loop.groups() == Names{"prefill 1 160 340", "decode 2 160 340", "prefill 2 1 160 340"});
}

TEST_CASE("without a longer forward before them, forwards of one token are no decode") {
  Loop loop;
  loop.forward(1, 7);
  loop.forward(1, 8);
  CHECK(loop.groups() == Names{"forward 2 160 340"});
}

TEST_CASE("a sequence that grows is no cache, and neither is a batch") {
  Loop growing;
  growing.forward(7, 0);
  growing.forward(8, 0);
  CHECK(growing.groups() == Names{"forward 1 160 340", "forward 2 1 160 340"});
  Loop batches;
  batches.forward(7, 0, 2);
  batches.forward(7, 0, 3);
  CHECK(batches.groups() == Names{"forward 1 160 340", "forward 2 1 160 340"});
}

TEST_CASE("times of a group are medians of its forwards, of an even number the lower one, or means") {
  for (const auto& [average, expected] :
       {std::pair{Average::Median, "forward 2 80 320"}, std::pair{Average::Mean, "forward 2 120 330"}}) {
    Loop loop;
    loop.forward(7, 0);
    loop.lengthNs = 20;
    loop.forward(7, 0);
    CHECK(loop.groups(average) == Names{expected});
  }
}

TEST_CASE("forwards of several threads overlap: each has what its own thread calls") {
  Loop loop;
  loop.forward(7, 0);
  loop.forward(1, 7);
  loop.thread("200", 1050);
  loop.forward(5, 0);
  loop.forward(1, 5);
  CHECK(loop.groups() == Names{"prefill 1 160 340", "prefill 2 1 160 340", "decode 2 160 340"});
}

TEST_CASE("forwards that overlap are unknown where a thread that calls none of them launches work") {
  Loop loop;
  loop.forward(7, 0);
  loop.thread("200", 1050);
  loop.forward(7, 0);
  SUBCASE("in the time of one, the work is of that one") {
    loop.thread("300", 1015);
    loop.op("copy", {});
    CHECK(loop.groups() == Names{"forward 2 160 340"});
  }
  SUBCASE("in the time of both, it could be of either") {
    loop.thread("300", 1115);
    loop.op("copy", {});
    CHECK(loop.groups() == Names{"forwards overlap, so that nothing tells of which of them the work is that "
                                 "`cudaLaunchKernel` launched"});
  }
}

TEST_CASE("an operator around several forwards is no part of them") {
  testing::Run run;
  run.op("generate", 0, 1000);
  const auto forward = [&](int64_t number, int64_t ns) {
    run.op("linear", ns, ns + 90);
    run.call(number, ns + 10, ns + 20);
    run.kernel("kernel", number, ns + 30, ns + 70);
    run.op("linear", ns + 100, ns + 190);
    run.call(number + 1, ns + 110, ns + 120);
    run.kernel("kernel", number + 1, ns + 130, ns + 170);
  };
  forward(1, 100);
  forward(3, 300);
  const Timeline timeline = run.finish(StepSelection::Whole);
  const auto spans = spansOf(timeline, {{0, 1}, {2, 3}});
  CHECK(spans[0].host == TimeInterval{100, 290});
  CHECK(spans[1].host == TimeInterval{300, 490});
  const auto found = groupForwards(timeline, spans, classesByShapes(timeline, spans));
  REQUIRE(found);
  REQUIRE(found->forwards.size() == 2);
  for (const Forward& one : found->forwards) {
    CHECK(one.events.size() == 2);
    CHECK(one.busyNs == 80);
    CHECK(*one.wallNs == 140);
  }
}

TEST_CASE("forwards that one call launched are unknown") {
  testing::Run run;
  run.call(1, 0, 10);
  run.kernel("a", 1, 20, 30);
  run.kernel("b", 1, 40, 50);
  const Timeline timeline = run.finish(StepSelection::Whole);
  const auto spans = spansOf(timeline, {{0, 0}, {1, 1}});
  CHECK_FALSE(groupForwards(timeline, spans, classesByShapes(timeline, spans)));
}

TEST_CASE("without modules the iteration is a forward, with events that nothing launched") {
  testing::Run run;
  run.launch("a", 1, 0);
  run.kernel("early", -1, 10, 20);
  const Timeline timeline = run.finish(StepSelection::Whole);
  CHECK(spansOfModule(timeline).empty());
  const auto spans = spansOfIterations(timeline);
  const auto found = groupForwards(timeline, spans, classesByShapes(timeline, spans));
  REQUIRE(found);
  REQUIRE(found->forwards.size() == 1);
  CHECK(found->forwards[0].events.size() == 2);
  CHECK(found->groups[0].name == "forward");
}

TEST_CASE("the model is the outermost module with at least half of the device time of all modules") {
  const auto modelOf = [](const std::vector<int64_t>& timesNs) {
    testing::Run run;
    for (size_t i = 0; i < timesNs.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      const int64_t ns = 10'000 * number;
      run.module("nn.Module: Net_" + std::to_string(i), ns, ns + 100);
      run.module("nn.Module: Layer_0", ns + 10, ns + 60);
      run.call(number, ns + 20, ns + 30);
      run.kernel("kernel", number, ns + 40, ns + 40 + timesNs[i]);
    }
    return spansOfModule(run.finish(StepSelection::Whole));
  };
  REQUIRE(modelOf({20, 70, 10}).size() == 1);
  CHECK(modelOf({20, 70, 10})[0].host == TimeInterval{10'000, 10'099});
  CHECK(modelOf({50, 50}).size() == 1);
  CHECK(modelOf({30, 40, 30}).empty());
}

}  // namespace
}  // namespace amdahlc
