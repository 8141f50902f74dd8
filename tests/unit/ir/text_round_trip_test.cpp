#include <doctest/doctest.h>

#include <tuple>

#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

RuleId ruleNamed(const Module& module, const std::string& name) {
  for (const RuleId rule : module.rules.rules.ids()) {
    if (module.rules.rules[rule].name == name) return rule;
  }
  return kNone;
}

/// Prints, parses and prints again.
void checkRoundTrip(const Module& module) {
  Messages messages;
  CHECK(verify(module, messages.engine));
  CHECK_MESSAGE(messages.text.empty(), messages.text);
  const std::string first = print(module);
  std::string errors;
  const auto parsed = parseText(first, errors);
  REQUIRE_MESSAGE(parsed.has_value(), errors << first);
  CHECK(print(*parsed) == first);
}

}  // namespace

TEST_CASE("a module with everything in it prints, parses and prints the same") { checkRoundTrip(everything()); }

TEST_CASE("a module after each stage prints, parses and prints the same") {
  Module module = everything();
  checkRoundTrip(module);
  const auto facets = allFacets();
  for (size_t row = facets.size(); row-- > 0;) {
    module.retract(facets[row].facet);
    checkRoundTrip(module);
  }
}

TEST_CASE("text that is read back prints the same") {
  const Module module = everything();
  std::string errors;
  const auto parsed = parseText(print(module), errors);
  REQUIRE_MESSAGE(parsed.has_value(), errors);
  REQUIRE(parsed->ops.size() == module.ops.size());
  for (const OpId op : module.ops.ids()) {
    CHECK(parsed->displayName(op) == module.displayName(op));
    CHECK(parsed->ops[op].state == module.ops[op].state);
    CHECK(parsed->ops[op].absorbed == module.ops[op].absorbed);
    CHECK(parsed->text(parsed->ops[op].docString) == module.text(module.ops[op].docString));
  }
  CHECK(parsed->ops[1_op].attributes == module.ops[1_op].attributes);
  CHECK(parsed->values.size() == module.values.size());
  // Rules without a candidate are not carried.
  REQUIRE(parsed->rules.rules.size() == 3);
  CHECK(printRule(parsed->rules.rules[0_rule]) == printRule(module.rules.rules[1_rule]));
  CHECK(parsed->rules.rules[1_rule] == module.rules.rules[2_rule]);
  CHECK(parsed->rules.hidden == module.rules.hidden);
  CHECK(parsed->candidates[0_candidate].ops == module.candidates[0_candidate].ops);
  CHECK(parsed->candidates[0_candidate].rule == 0_rule);
  // Device events only.
  const Timeline& timeline = parsed->timelines[0];
  CHECK_FALSE(timeline.host);
  CHECK(timeline.size() == 6);
  CHECK(timeline.selectedEvents().size() == 4);
  const FacetStore &read = parsed->covers[1].facets, &printed = module.covers[1].facets;
  CHECK(read.get<BoundFacet>()->kernels[0_kernel].events[1].event == 1);
  CHECK(read.get<BoundFacet>()->unbound[0].event == 5);
  CHECK(*read.get<TimedFacet>() == *printed.get<TimedFacet>());
  CHECK(*read.get<CriticalPathFacet>() == *printed.get<CriticalPathFacet>());
  CHECK(parsed->target == module.target);
}

TEST_CASE("all printed content is read back") {
  const Module before = everything();
  std::string errors;
  const auto parsed = parseText(print(before), errors);
  REQUIRE_MESSAGE(parsed.has_value(), errors);
  const Module& after = *parsed;

  CHECK(after.modelName == before.modelName);
  CHECK(after.opsets == before.opsets);
  CHECK(after.truncatedRoots == before.truncatedRoots);
  CHECK(after.storages == before.storages);
  REQUIRE(after.dataProblems.size() == before.dataProblems.size());
  for (size_t i = 0; i < after.dataProblems.size(); ++i) {
    CHECK(after.dataProblems[i].name == before.dataProblems[i].name);
    CHECK(after.dataProblems[i].count == before.dataProblems[i].count);
    CHECK(after.dataProblems[i].what == before.dataProblems[i].what);
  }

  // Values may have other ids: they are compared by graph and name.
  const auto full = [](const Module& module, ValueId value) {
    return value == kNone ? std::string("_")
                          : std::to_string(module.values[value].graph.index()) + ' ' +
                                std::string(module.text(module.values[value].name));
  };
  const auto names = [&](const Module& module, const std::vector<ValueId>& values) {
    std::string all;
    for (const ValueId value : values) all += full(module, value) + '|';
    return all;
  };
  REQUIRE(after.graphs.size() == before.graphs.size());
  for (const GraphId graph : after.graphs.ids()) {
    const Graph &a = after.graphs[graph], &b = before.graphs[graph];
    CHECK(after.text(a.name) == before.text(b.name));
    CHECK(a.parent == b.parent);
    CHECK(a.order == b.order);
    CHECK(names(after, a.inputs) == names(before, b.inputs));
    CHECK(names(after, a.outputs) == names(before, b.outputs));
  }
  REQUIRE(after.ops.size() == before.ops.size());
  for (const OpId op : after.ops.ids()) {
    const Op &a = after.ops[op], &b = before.ops[op];
    for (const auto member : {&Op::type, &Op::domain, &Op::name, &Op::sourceCall, &Op::sourceTarget, &Op::docString}) {
      CHECK(after.text(a.*member) == before.text(b.*member));
    }
    CHECK(after.scopePath(a.scope) == before.scopePath(b.scope));
    CHECK(after.text(after.scopes[a.scope].moduleClass) == before.text(before.scopes[b.scope].moduleClass));
    CHECK(a.graph == b.graph);
    CHECK(a.state == b.state);
    CHECK(a.absorbedInto == b.absorbedInto);
    CHECK(a.absorbed == b.absorbed);
    CHECK(a.attributes == b.attributes);
    CHECK(names(after, a.inputs) == names(before, b.inputs));
    CHECK(names(after, a.outputs) == names(before, b.outputs));
    REQUIRE(a.metadata.size() == b.metadata.size());
    for (size_t i = 0; i < a.metadata.size(); ++i) {
      CHECK(after.text(a.metadata[i].first) == before.text(b.metadata[i].first));
      CHECK(after.text(a.metadata[i].second) == before.text(b.metadata[i].second));
    }
    REQUIRE(a.regions.size() == b.regions.size());
    for (size_t i = 0; i < a.regions.size(); ++i) {
      CHECK(a.regions[i].name == b.regions[i].name);
      CHECK(a.regions[i].graph == b.regions[i].graph);
    }
  }
  REQUIRE(after.values.size() == before.values.size());
  for (const Value& b : before.values) {
    size_t found = 0;
    for (const Value& a : after.values) {
      if (a.graph != b.graph || after.text(a.name) != before.text(b.name)) continue;
      ++found;
      CHECK(a.kind == b.kind);
      CHECK(a.producer == b.producer);
      CHECK(a.producerIndex == b.producerIndex);
      CHECK(describe(a.type) == describe(b.type));
      CHECK(a.byteSize == b.byteSize);
      CHECK(a.storage == b.storage);
      CHECK(a.isWritten == b.isWritten);
      // `floats` holds a NaN, which equals nothing.
      if (before.text(b.name) != "floats") CHECK(a.constant == b.constant);
    }
    CHECK(found == 1);
  }

  REQUIRE(after.candidates.size() == before.candidates.size());
  for (const CandidateId id : after.candidates.ids()) {
    const Candidate &a = after.candidates[id], &b = before.candidates[id];
    CHECK(after.rules.rules[a.rule].name == before.rules.rules[b.rule].name);
    CHECK(std::tie(a.alternative, a.root, a.anchor, a.ops, a.owned, a.component) ==
          std::tie(b.alternative, b.root, b.anchor, b.ops, b.owned, b.component));
    CHECK(names(after, a.results) == names(before, b.results));
  }

  REQUIRE(after.timelines.size() == before.timelines.size());
  for (size_t i = 0; i < after.timelines.size(); ++i) {
    const Timeline &a = after.timelines[i], &b = before.timelines[i];
    CHECK(std::tie(a.label, a.file, a.format, a.contentHash, a.target, a.hasDevice) ==
          std::tie(b.label, b.file, b.format, b.contentHash, b.target, b.hasDevice));
    REQUIRE(a.tracks.size() == b.tracks.size());
    for (size_t t = 0; t < a.tracks.size(); ++t) {
      CHECK(std::tie(a.tracks[t].process, a.tracks[t].thread, a.tracks[t].device, a.tracks[t].name) ==
            std::tie(b.tracks[t].process, b.tracks[t].thread, b.tracks[t].device, b.tracks[t].name));
    }
    REQUIRE(a.iterations.size() == b.iterations.size());
    for (size_t t = 0; t < a.iterations.size(); ++t) {
      CHECK(std::tie(a.iterations[t].name, a.iterations[t].startNs, a.iterations[t].endNs, a.iterations[t].leftOut) ==
            std::tie(b.iterations[t].name, b.iterations[t].startNs, b.iterations[t].endNs, b.iterations[t].leftOut));
    }
    REQUIRE(a.problems.size() == b.problems.size());
    CHECK(a.problems[0].what == b.problems[0].what);
    CHECK(a.problems[0].count == b.problems[0].count);
    REQUIRE(a.size() == b.size());
    for (EventIndex e = 0; e < a.size(); ++e) {
      CHECK(std::tie(a.kind[e], a.startNs[e], a.durationNs[e], a.track[e], a.correlation[e], a.iteration[e]) ==
            std::tie(b.kind[e], b.startNs[e], b.durationNs[e], b.track[e], b.correlation[e], b.iteration[e]));
      CHECK(a.text(a.name[e]) == b.text(b.name[e]));
      const LaunchFacts *mine = a.launchFactsOf(e), *theirs = b.launchFactsOf(e);
      REQUIRE((mine == nullptr) == (theirs == nullptr));
      if (mine == nullptr) continue;
      for (int d = 0; d < 3; ++d) {
        CHECK(mine->grid[d] == theirs->grid[d]);
        CHECK(mine->block[d] == theirs->block[d]);
      }
      CHECK(std::tie(mine->registers, mine->sharedMemoryBytes, mine->bytes) ==
            std::tie(theirs->registers, theirs->sharedMemoryBytes, theirs->bytes));
    }
  }

  REQUIRE(after.covers.size() == before.covers.size());
  for (size_t i = 0; i < after.covers.size(); ++i) {
    const Cover &a = after.covers[i], &b = before.covers[i];
    CHECK(std::tie(a.name, a.traceLabel) == std::tie(b.name, b.traceLabel));
    REQUIRE(a.kernels.size() == b.kernels.size());
    for (const KernelId k : a.kernels.ids()) {
      const Kernel &mine = a.kernels[k], &theirs = b.kernels[k];
      CHECK(std::tie(mine.id, mine.candidate, mine.ops) == std::tie(theirs.id, theirs.candidate, theirs.ops));
    }
    for (const FacetInfo& row : allFacets()) REQUIRE(a.facets.has(row.facet) == b.facets.has(row.facet));
    if (!b.facets.has(Facet::Bound)) continue;
    CHECK(*a.facets.get<TimedFacet>() == *b.facets.get<TimedFacet>());
    CHECK(*a.facets.get<CriticalPathFacet>() == *b.facets.get<CriticalPathFacet>());
    BoundFacet bound = *a.facets.get<BoundFacet>();
    for (UnboundEvent& event : bound.unbound) {
      event.scope = before.findScope(after.scopePath(event.scope));
      // Rules without a candidate are not carried, so the others have other ids.
      if (event.reason.rule != kNone) event.reason.rule = ruleNamed(before, after.rules.rules[event.reason.rule].name);
    }
    CHECK(bound == *b.facets.get<BoundFacet>());
  }

  REQUIRE(after.scenarios.size() == before.scenarios.size());
  for (size_t i = 0; i < after.scenarios.size(); ++i) {
    const Scenario &a = after.scenarios[i], &b = before.scenarios[i];
    CHECK(a.name == b.name);
    REQUIRE(a.changes.size() == b.changes.size());
    for (size_t i = 0; i < a.changes.size(); ++i) {
      const Change &one = a.changes[i], &other = b.changes[i];
      CHECK(std::tie(one.kind, one.selectors, one.factor, one.fixedNs, one.stream) ==
            std::tie(other.kind, other.selectors, other.factor, other.fixedNs, other.stream));
    }
  }
}

TEST_CASE("a body may hide a name of the graph around it, and uses of both keep their meaning") {
  ModuleBuilder b;
  b.input("x");
  b.op("Neg", {"x"}, {"y"});
  const OpId outer = b.op("If", {"x"}, {"z"});
  const ValueId outerY = b.value("y");
  const GraphId body = b.addGraph(outer, "then_branch");
  b.op("Abs", {"x"}, {"y"}, body);
  const OpId both = b.op("Add", {"y", "y"}, {"sum"}, body);
  b.module.ops[both].inputs[1] = outerY;
  b.output("sum", body);
  b.output("z");
  checkRoundTrip(b.module);
  std::string errors;
  const auto parsed = parseText(print(b.module), errors);
  REQUIRE(parsed.has_value());
  CHECK(parsed->values[parsed->ops[both].inputs[0]].graph == body);
  CHECK(parsed->values[parsed->ops[both].inputs[1]].graph == kMainGraph);
}

TEST_CASE("the text grows with the module and parsing with the text") {
  ModuleBuilder b;
  b.input("v0");
  b.module.values.reserve(20001);
  for (int i = 0; i < 20000; ++i) {
    // The builder looks names up from the newest value, so a chain costs nothing.
    b.op("Relu", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  }
  b.output("v20000");
  fuseTrivially(b.module);
  checkRoundTrip(b.module);
}
