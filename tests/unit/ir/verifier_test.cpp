#include <doctest/doctest.h>

#include <functional>

#include "ir/text.h"
#include "ir/verifier.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

/// What the verifier says of `everything()` after `damage`.
std::string messagesAfter(const std::function<void(Module&)>& damage) {
  Module module = everything();
  damage(module);
  Messages messages;
  const bool sound = verify(module, messages.engine);
  CHECK(sound == messages.text.empty());
  return messages.text;
}

bool says(const std::function<void(Module&)>& damage, std::string_view words) {
  const std::string text = messagesAfter(damage);
  CHECK_MESSAGE(text.find(words) != std::string::npos, text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a sound module has nothing to report") {
  CHECK(messagesAfter([](Module&) {}).empty());
}

TEST_CASE("damaged graphs are reported") {
  says([](Module& m) { m.graphs.clear(); }, "a module without a graph");
  says([](Module& m) { m.graphs[0].parent = 0; }, "the main graph has a parent");
  says([](Module& m) { m.graphs[1].parent = kNone; }, "which has another parent");
  says([](Module& m) { m.ops[5].regions.clear(); }, "a region 0 times");
  says([](Module& m) { m.graphs[0].order.pop_back(); }, "live, but 0 times in its graph's order");
  says([](Module& m) { std::swap(m.graphs[0].order[0], m.graphs[0].order[1]); },
       "uses a value before it is made: `%h`");
  says([](Module& m) { m.ops[1].inputs[0] = 9999; }, "an operand that is no value");
  says([](Module& m) { m.ops[3].inputs[0] = m.ops[2].outputs[0]; }, "uses a value of an erased operator: `%h2`");
  says([](Module& m) { m.ops[3].inputs[0] = m.ops[6].outputs[0]; },
       "uses a value of a graph that does not enclose it: `%x2`");
  says([](Module& m) { m.graphs[0].outputs[0] = m.ops[2].outputs[0]; }, "uses a value of an erased operator");
  says([](Module& m) { m.ops[3].absorbed.clear(); }, "not in the list of the operator that absorbed it");
  says([](Module& m) { m.ops[2].absorbedInto = 0; }, "absorbed into what is not a live operator");
  says([](Module& m) { std::swap(m.ops[1].attributes[0], m.ops[1].attributes[1]); }, "attributes out of order");
}

TEST_CASE("damaged values are reported") {
  says([](Module& m) { m.values[0].name = {}; }, "without a name");
  says([](Module& m) { m.values[0].name = m.values[1].name; }, "not the only value of this name");
  says([](Module& m) { m.values[2].constant.reset(); }, "a constant without its tensor");
  says([](Module& m) { m.values[2].constant->ints->pop_back(); }, "2 elements kept of int64[3]");
  says([](Module& m) { m.values[m.ops[1].outputs[0]].producerIndex = 1; }, "not an output of its producer");
  says([](Module& m) { m.values[0].type.parameters.emplace_back(); }, "type with 1 parameters");
  says([](Module& m) { m.values[0].type.dims[0].value = -2; }, "a dimension that is negative");
  says([](Module& m) { m.values[m.ops[1].outputs[0]].kind = Value::Kind::Absent; }, "absent");
}

TEST_CASE("damaged rules and candidates are reported") {
  says([](Module& m) { m.rules.rules[1].name = m.rules.rules[2].name; }, "without a name of its own");
  says([](Module& m) { m.rules.rules[1].patterns[0].results = {9}; }, "no result, or one that is no value");
  says([](Module& m) { m.rules.rules[1].patterns[1].where[0].args[0].args.pop_back(); }, "a malformed condition");
  says([](Module& m) { m.candidates[0].rule = 77; }, "no such rule");
  says([](Module& m) { std::swap(m.candidates[0], m.candidates[1]); }, "not in order of rule");
  says([](Module& m) { m.candidates[0].ops = {1, 2}; }, "holds `#2`, which is erased");
  says([](Module& m) { m.candidates[0].anchor = 6; }, "root or anchor outside its operators");
  says([](Module& m) { m.candidates[0].results = {0}; }, "hands on a value that it does not make");
}

TEST_CASE("damaged covers are reported") {
  says([](Module& m) { m.covers[0].kernels.pop_back(); }, "no kernel holds");
  says([](Module& m) { m.covers[0].kernels[2].ops = m.covers[0].kernels[1].ops; },
       "2 kernels that do not recompute hold");
  says([](Module& m) { std::swap(m.covers[0].kernels[1], m.covers[0].kernels[2]); }, "stands at");
  says(
      [](Module& m) {
        auto& kernels = m.covers[0].kernels;
        std::swap(kernels[1].ops, kernels[2].ops);
      },
      "its id is not its rank in Kahn's order");
  says([](Module& m) { std::swap(m.covers[0].kernels[0].ops[0], m.covers[0].kernels[0].ops[1]); },
       "another anchor than candidate 0");
  says([](Module& m) { m.covers[1].kernels[0].events[0].event = 0; }, "event 0 is no selected device event");
  says([](Module& m) { m.covers[1].kernels[1].events[0].event = 3; }, "event 3 twice");
  says([](Module& m) { m.covers[1].unbound.clear(); }, "3 of 4 selected events are bound or listed as unbound");
  says([](Module& m) { m.covers[1].kernels[0].state = KernelState::Unbound; }, "events, but `unbound`");
  says([](Module& m) { m.covers[1].kernels[0].time->totalNs = 21; }, "total is not the sum");
  says([](Module& m) { m.covers[1].times->boundNs = 0; }, "device time is not bound plus unbound time");
  says(
      [](Module& m) {
        RunTimes& times = *m.covers[1].times;
        times.boundNs = times.unboundNs = INT64_MAX;  // the sum wraps around to -2
        times.deviceNs = -2;
      },
      "device time is not bound plus unbound time");
  says([](Module& m) { m.covers[1].criticalPath->kernels = {1}; }, "marked critical");
  says([](Module& m) { m.covers[1].branches[0].join = 70; }, "a branch with unknown kernels");
  says([](Module& m) { m.covers[1].traceLabel = "h200"; }, "of no timeline `h200`");
}

TEST_CASE("facets and facts that disagree are reported") {
  // Facts without their facet: only text can say so, since a module drops both at once.
  const std::string whole = print(everything());
  for (const FacetInfo& facet : allFacets()) {
    if (facet.facet == Facet::Simplified) continue;  // every graph may be a simplified one
    const std::string listed = facet.facet == Facet::Scenarios ? ", scenarios]" : std::string(facet.name) + ", ";
    std::string text = whole;
    REQUIRE(text.find(listed) != std::string::npos);
    text.replace(text.find(listed), listed.size(), facet.facet == Facet::Scenarios ? "]" : "");
    std::string errors;
    CHECK_FALSE(parseText(text, errors).has_value());
    CHECK_MESSAGE(errors.find('`' + std::string(facet.name) + '`') != std::string::npos, facet.name << ": " << errors);
  }
  says([](Module& m) { m.covers[1].criticalPath.reset(); }, "missing, but `critical-path` is established");
  says([](Module& m) { m.covers[1].kernels[0].time.reset(); }, "kernel times missing, but `timed` is established");
  says([](Module& m) { m.scenarios[0].predictions.pop_back(); }, "1 predictions, where 2 covers have a trace");
  says([](Module& m) { m.scenarios[0].requests[0].fixedNs = 1; }, "both a factor and a time");
}

TEST_CASE("damaged timelines are reported") {
  says([](Module& m) { m.timelines[1].label = "h100"; }, "not the only one of this label");
  says([](Module& m) { m.timelines[0].track.pop_back(); }, "columns of different lengths");
  says([](Module& m) { m.timelines[0].startNs[3] = 0; }, "starts before the one before it");
  says([](Module& m) { m.timelines[0].iteration[3] = 2; }, "in no iteration");
}
