#include "ir/facets/facet.h"

#include <doctest/doctest.h>

#include "graph_of.h"
#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "ir/text.h"
#include "sample_module.h"

using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

TEST_CASE("facets are found by the names that IR text has") {
  for (const FacetInfo& row : allFacets()) {
    CHECK(facetFromName(row.name) == row.facet);
    CHECK(name(row.facet) == row.name);
    CHECK_FALSE(row.phrase.empty());
  }
  CHECK_FALSE(facetFromName("time").has_value());
  CHECK_FALSE(facetFromName("").has_value());
}

TEST_CASE("facets derived from a facet are known, also indirect ones") {
  CHECK(withDerived(Facet::CriticalPath) == FacetSet{Facet::CriticalPath});
  const FacetSet ofTimed = withDerived(Facet::Timed);
  CHECK(ofTimed.containsAll({Facet::Timed, Facet::CriticalPath}));
  CHECK_FALSE(ofTimed.intersects({Facet::Simplified, Facet::Fused, Facet::Bound}));
  const FacetSet ofFused = withDerived(Facet::Fused);
  CHECK(ofFused.containsAll({Facet::Fused, Facet::Bound, Facet::Timed, Facet::CriticalPath}));
  CHECK_FALSE(ofFused.contains(Facet::Simplified));
  CHECK(withDerived(Facet::Simplified) == FacetSet{Facet::Simplified});
}

TEST_CASE("a facet that is dropped takes all that is derived from it along") {
  Module module = everything();
  FacetSet expected = module.facets();
  expected.erase(withDerived(Facet::Timed));
  module.retract(Facet::Timed);
  CHECK(module.facets() == expected);
  CHECK(module.covers.size() == 3);
  CHECK(module.covers[1].facets.get<BoundFacet>() != nullptr);
  CHECK(module.covers[1].facets.get<TimedFacet>() == nullptr);
  CHECK(module.covers[1].facets.get<CriticalPathFacet>() == nullptr);
  CHECK(module.scenarios.size() == 2);

  module.retract(Facet::Fused);
  CHECK(module.facets() == FacetSet{Facet::Simplified});
  CHECK(module.covers.empty());
  CHECK(module.candidates.empty());
  CHECK(module.truncatedRoots == 0);
}

TEST_CASE("facets derived from a facet can be dropped without it") {
  Module module = everything();
  FacetSet expected = module.facets();
  expected.erase(withDerived(Facet::Bound));
  expected.insert(Facet::Bound);
  module.retractDerived(Facet::Bound);
  CHECK(module.facets() == expected);
  REQUIRE(module.covers.size() == 3);
  CHECK(module.covers[1].facets.get<BoundFacet>() != nullptr);
  CHECK(module.covers[1].facets.get<TimedFacet>() == nullptr);
}

TEST_CASE("a store keeps facets by type, each once") {
  FacetStore store;
  CHECK(store.get<TimedFacet>() == nullptr);
  CHECK_FALSE(store.has(Facet::Timed));
  store.set(CriticalPathFacet());
  store.set(BoundFacet());
  TimedFacet& timed = store.set(TimedFacet());
  timed.run.iterations = 3;
  CHECK(store.get<TimedFacet>()->run.iterations == 3);
  CHECK(store.has(Facet::Timed));

  store.set(TimedFacet());
  CHECK(store.get<TimedFacet>()->run.iterations == 0);
  store.drop({Facet::Bound, Facet::CriticalPath});
  CHECK_FALSE(store.has(Facet::Bound));
  CHECK_FALSE(store.has(Facet::CriticalPath));
  CHECK(store.has(Facet::Timed));
}

TEST_CASE("a copy of a store has facts of its own") {
  FacetStore store;
  store.set(TimedFacet()).run.iterations = 1;
  FacetStore copy = store;
  copy.get<TimedFacet>()->run.iterations = 2;
  CHECK(store.get<TimedFacet>()->run.iterations == 1);
  store = copy;
  copy.drop({Facet::Timed});
  REQUIRE(store.get<TimedFacet>() != nullptr);
  CHECK(store.get<TimedFacet>()->run.iterations == 2);
}

TEST_CASE("facets that IR text has for runs are added by id, and others are not") {
  for (const FacetInfo& row : allFacets()) {
    FacetStore store;
    store.add(row.facet, [&](const auto& facts) { CHECK(facts.kFacet == row.facet); });
    CHECK(store.has(row.facet) == (row.level == FacetLevel::Run));
  }
}

TEST_CASE("each facet of a run prints and reads back by itself") {
  const std::string whole = print(everything());
  for (const FacetInfo& row : allFacets()) {
    if (row.level != FacetLevel::Run) continue;
    // All that this facet does not need is dropped.
    Module module = everything();
    for (const FacetInfo& other : allFacets()) {
      if (other.level == FacetLevel::Run && !withDerived(other.facet).contains(row.facet)) module.retract(other.facet);
    }
    const std::string text = print(module);
    CHECK(text.find("\n  " + std::string(row.name) + " {\n") != std::string::npos);
    std::string errors;
    const auto parsed = parseText(text, errors);
    REQUIRE_MESSAGE(parsed.has_value(), errors);
    CHECK(print(*parsed) == text);
    CHECK(parsed->covers[1].facets.has(row.facet));
  }
}

TEST_CASE("a block that no facet has, or one twice, is an error at its place") {
  const std::string whole = print(everything());
  const auto messages = [&](std::string_view from, std::string_view to) {
    std::string text = whole, errors;
    text.replace(text.find(from), from.size(), to);
    CHECK_FALSE(parseText(text, errors).has_value());
    return errors;
  };
  CHECK(messages("\n  timed {", "\n  times {").find("did you mean `timed`?") != std::string::npos);
  CHECK(messages("\n  critical-path {", "\n  timed {").find("a second `timed` of a cover") != std::string::npos);
}

TEST_CASE("what a new grouping and a new run drop is known before") {
  Module module = everything();
  FacetSet rest = module.facets();
  rest.erase(module.lostWithNewRun());
  CHECK(module.lostWithNewRun().contains(Facet::Bound));
  module.addRun({});
  CHECK(module.facets() == rest);
  CHECK(module.lostWithNewRun().empty());

  Module regrouped = everything();
  rest = regrouped.facets();
  rest.erase(regrouped.lostWithGrouping());
  CHECK(regrouped.lostWithGrouping().contains(Facet::Fused));
  regrouped.forgetGrouping();
  CHECK(regrouped.facets() == rest);
  CHECK(regrouped.rules.rules.empty());
}

TEST_CASE("a loop with unknown trips does not have those of the loop around it") {
  GraphOf g;
  const ValueId x = g.input("x"), outer = g.op("outer", "Loop", {x});
  g.body(outer, "outer_body");
  const ValueId branch = g.op("branch", "If", {x});
  g.body(branch, "then_branch");
  const ValueId inner = g.op("inner", "Loop", {x});
  g.body(inner, "inner_body");
  const Module& module = g.module;
  const auto graphOf = [&](ValueId value) { return module.ops[g.producer(value)].graph; };
  CHECK(loopAround(module, graphOf(outer)).isNone());
  CHECK(loopAround(module, graphOf(branch)) == g.producer(outer));
  CHECK(loopAround(module, graphOf(inner)) == g.producer(outer));
  const OpId loop = loopAround(module, GraphId(module.graphs.size() - 1));
  CHECK(loop == g.producer(inner));

  Cover cover;
  BoundFacet bound;
  for (const ValueId value : {outer, inner}) {
    cover.kernels.push_back({KernelId(cover.kernels.size()), std::nullopt, {g.producer(value)}});
    bound.kernels.emplace_back();
  }
  bound.kernels[KernelId(0)].tripCount = 3;
  cover.facets.set(std::move(bound));
  const auto trips = tripsOfLoops(module, cover);
  CHECK(trips[g.producer(outer)] == 3);
  CHECK_FALSE(trips[loop].has_value());
}
