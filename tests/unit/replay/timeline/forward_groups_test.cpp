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
    const ForwardGroups found(timeline, spans, classesByShapes(timeline, spans));
    std::vector<std::string> out;
    for (const ForwardGroup& group : found.groups)
      out.push_back(group.name + ' ' + std::to_string(group.members.size()) + ' ' +
                    std::to_string(found.busyNs(timeline, group)) + ' ' +
                    std::to_string(*found.wallNs(timeline, group)));
    return out;
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

TEST_CASE("without modules the iteration is a forward, with events that nothing launched") {
  testing::Run run;
  run.launch("a", 1, 0);
  run.kernel("early", -1, 10, 20);
  const Timeline timeline = run.finish(StepSelection::Whole);
  CHECK(spansOfModule(timeline).empty());
  const auto spans = spansOfIterations(timeline);
  const ForwardGroups found(timeline, spans, classesByShapes(timeline, spans));
  REQUIRE(found.forwards.size() == 1);
  CHECK(found.forwards[0].events.size() == 2);
  CHECK(found.groups[0].name == "forward");
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
