/// A runtime that has no adapter: its names of steps, modules and operators mean nothing to the program.
#include <doctest/doctest.h>

#include "models.h"
#include "passes/trace_bind/bind_timeline.h"
#include "timelines.h"

namespace amdahlc::binding {
namespace {

using testing::Model;
using testing::Recorder;

/// Two layers of a product and a function, each in a module of its own.
struct Layers {
  Layers() {
    for (int layer = 0; layer < 2; ++layer) {
      const std::string number = std::to_string(layer);
      add(model.heavy("MatMul", "p" + number, "mine.dot.default"), "Dense", "layer" + number + ".dense");
      add(model.ruled("Tanh", "f" + number, "mine.squash.default"), "Squash", "layer" + number + ".squash");
    }
    for (const ir::CandidateId id : model.module.candidates.ids()) model.inCover(id);
    model.module.covers.push_back(std::move(model.cover));
  }
  void add(ir::OpId op, std::string_view moduleClass, std::string_view path) {
    const ir::ScopeId scope = model.module.addScope(path);
    model.module.scopes.setClass(scope, model.module.strings.intern(moduleClass));
    model.module.ops[op].scope = scope;
  }
  std::optional<ir::Cover> bind(const Timeline& timeline) {
    const ir::OperatorGraph operators(model.module);
    const AlternativeGraph graph(model.module, operators, groupingOn(model.module, operators, timeline.target).value());
    BoundRun bound = bindTimeline(graph, timeline, {.thresholdPermille = 500});
    root = bound.root;
    return std::move(bound.cover);
  }
  /// The operators that the events of each kernel are bound to, in order of the events; -1 for none.
  static std::vector<int> opOfEvents(const ir::Cover& cover, const Timeline& timeline) {
    std::vector<int> result(timeline.size(), -1);
    const auto* facts = cover.facets.get<ir::BoundFacet>();
    for (const ir::Kernel& kernel : cover.kernels)
      for (const ir::BoundEvent& event : facts->kernels[kernel.id].events)
        result[event.event] = static_cast<int>(kernel.anchor().index());
    return result;
  }
  Model model;
  std::string root;
};

/// `forwards` runs of the model, in frames that carry the names of classes.
Timeline record(int forwards) {
  Recorder recorder;
  for (int i = 0; i < forwards; ++i) {
    recorder.frame("<call Net>", [&] {
      for (int layer = 0; layer < 2; ++layer) {
        recorder.frame("Dense", [&] { recorder.call({"mine::dot", "mine::dot_impl"}, {"k_dot", "k_bias"}); });
        recorder.frame("Squash", [&] { recorder.call({"mine::squash"}, {"k_squash"}); });
      }
    });
  }
  return recorder.finish(StepSelection::All, "made-up");
}

TEST_CASE("a run of a runtime without an adapter is bound by the same evidence") {
  Layers layers;
  const Timeline timeline = record(1);
  const auto cover = layers.bind(timeline);
  REQUIRE(cover);
  CHECK(Layers::opOfEvents(*cover, timeline) == std::vector<int>{0, 0, 1, 2, 2, 3});
  CHECK(layers.root == "<call Net>");
}

TEST_CASE("calls of its outermost module are forwards") {
  Layers layers;
  const Timeline timeline = record(3);
  const auto cover = layers.bind(timeline);
  REQUIRE(cover);
  const std::vector<int> all = Layers::opOfEvents(*cover, timeline);
  REQUIRE(all.size() == 18);
  for (size_t i = 0; i < all.size(); ++i) CHECK(all[i] == std::vector<int>{0, 0, 1, 2, 2, 3}[i % 6]);
}

TEST_CASE("operators of another name than the exporter's are not bound") {
  Layers layers;
  Recorder recorder;
  recorder.frame("<call Net>", [&] { recorder.frame("Dense", [&] { recorder.call({"mine::sort"}, {"other"}); }); });
  const Timeline timeline = recorder.finish(StepSelection::All, "made-up");
  const auto cover = layers.bind(timeline);
  REQUIRE(cover);
  CHECK(Layers::opOfEvents(*cover, timeline) == std::vector<int>{-1});
}

}  // namespace
}  // namespace amdahlc::binding
