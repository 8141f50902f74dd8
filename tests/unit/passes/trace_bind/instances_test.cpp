#include "passes/trace_bind/instances.h"

#include <doctest/doctest.h>

#include <utility>

#include "passes/trace_bind/evidence.h"
#include "timelines.h"

namespace amdahlc::binding {
namespace {

using testing::Recorder;

struct Tree {
  ir::ScopeId add(std::string_view path) { return scopes.add(path, strings); }
  StringPool strings;
  ir::ScopeTree scopes;
};

Judgement judged(const Instances& instances, Symbol instance, ir::ScopeId scope) {
  Judgement judgement;
  instances.judge(instance, scope, judgement);
  return judgement;
}

TEST_CASE("an instance without votes is no evidence, and one with votes is evidence against other scopes") {
  Tree tree;
  const ir::ScopeId first = tree.add("layer.0"), second = tree.add("layer.1");
  const Symbol instance = tree.strings.intern("Linear_0"), other = tree.strings.intern("Linear_1");
  Instances instances;
  CHECK(instances.empty());
  instances.vote(instance, first, 100'000);
  CHECK_FALSE(instances.empty());
  CHECK(judged(instances, other, first).rows == 0);
  CHECK(judged(instances, instance, second).rows == evidence::bit(evidence::Row::OtherInstance));
  // All votes of the instance, all of the scope.
  const Score all = judged(instances, instance, first).score;
  CHECK(all > value(evidence::Row::SameInstance) - 10);
  CHECK(all <= value(evidence::Row::SameInstance));
}

TEST_CASE("votes count by their share on both sides, and few of them little") {
  Tree tree;
  const ir::ScopeId first = tree.add("layer.0"), second = tree.add("layer.1");
  const Symbol a = tree.strings.intern("Linear_0"), b = tree.strings.intern("Linear_1");
  Instances divided;
  divided.vote(a, first, 30'000);
  divided.vote(a, second, 10'000);
  const Score most = judged(divided, a, first).score, least = judged(divided, a, second).score;
  CHECK(most > least);
  CHECK(divided.scopeOf(a) == first);
  // The scope's votes for another instance take from it.
  divided.vote(b, first, 30'000);
  CHECK(judged(divided, a, first).score < most);
  Instances weak;
  weak.vote(a, first, 10);
  CHECK(judged(weak, a, first).score < 0);
}

TEST_CASE("the scope of an instance is that of most votes, summed") {
  Tree tree;
  const ir::ScopeId first = tree.add("layer.0"), second = tree.add("layer.1");
  const Symbol a = tree.strings.intern("Linear_0");
  Instances instances;
  CHECK_FALSE(instances.scopeOf(a).has_value());
  instances.vote(a, first, 500);
  instances.vote(a, second, 300);
  CHECK(instances.scopeOf(a) == first);
  instances.vote(a, second, 300);
  CHECK(instances.scopeOf(a) == second);
}

TEST_CASE("instances around others get the scope around theirs, and the exported model is the root") {
  Recorder recorder;
  recorder.frame("App_0", [&] {
    recorder.frame("Net_0", [&] {
      recorder.frame("Layer_0", [&] {
        recorder.frame("Linear_0", [&] { recorder.call({"aten::linear"}, {"gemm"}); });
        recorder.frame("Linear_1", [&] { recorder.call({"aten::linear"}, {"gemm"}); });
      });
      recorder.frame("Loss_0", [&] { recorder.call({"aten::mse"}, {"mse"}); });
    });
  });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto symbol = [&](std::string_view name) { return timeline.strings.find(name); };
  Tree tree;
  const ir::ScopeId query = tree.add("encoder.layer.self.query"), output = tree.add("encoder.layer.out.dense");
  const ir::ScopeId layer = tree.add("encoder.layer");
  Instances instances;
  instances.vote(symbol("Linear_0"), query, 1000);
  instances.vote(symbol("Linear_1"), output, 1000);
  const auto calls = launches.calls(0);
  REQUIRE(calls.size() == 3);
  CHECK(instances.scopeAround(launches, calls[0].frame) == query);
  CHECK_FALSE(instances.scopeAround(launches, calls[2].frame).has_value());
  instances.inferAround(launches, symbol("Net_0"), tree.scopes);
  CHECK(instances.scopeOf(symbol("Layer_0")) == layer);
  CHECK(instances.scopeOf(symbol("Net_0")) == ir::kRootScope);
  CHECK_FALSE(instances.scopeOf(symbol("Loss_0")).has_value());
  // Its own scope is unknown, that of the frame around it is not.
  CHECK(instances.scopeAround(launches, calls[2].frame) == ir::kRootScope);
  // An inferred scope is no vote.
  CHECK(judged(instances, symbol("Layer_0"), layer).rows == 0);
}

TEST_CASE(
    "an instance of which no scope has most of the votes is in the scope around them, and the model is the root") {
  Recorder recorder;
  recorder.frame("Net_0", [&] {
    recorder.frame("Region_0", [&] { recorder.call({"aten::linear"}, {"gemm"}); });
    recorder.frame("Linear_0", [&] { recorder.call({"aten::linear"}, {"gemm"}); });
  });
  const Timeline timeline = recorder.finish();
  const Launches launches(timeline);
  const auto symbol = [&](std::string_view name) { return timeline.strings.find(name); };
  Tree tree;
  const ir::ScopeId first = tree.add("layer.0"), second = tree.add("layer.1");
  Instances instances;
  for (const auto& [name, weight] : {std::pair("Region_0", 900), std::pair("Linear_0", 100), std::pair("Net_0", 500)}) {
    instances.vote(symbol(name), first, 1000);
    instances.vote(symbol(name), second, weight);
  }
  instances.vote(symbol("Region_0"), tree.add("layer.2"), 900);
  instances.inferAround(launches, symbol("Net_0"), tree.scopes);
  CHECK(instances.scopeOf(symbol("Region_0")) == tree.add("layer"));
  CHECK(instances.scopeOf(symbol("Linear_0")) == first);
  CHECK(instances.scopeOf(symbol("Net_0")) == ir::kRootScope);
}

}  // namespace
}  // namespace amdahlc::binding
