#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "replay/timeline/time_limits.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

// The facets of the first run.
BoundFacet& bound(Module& module) { return *module.covers[1].facets.get<BoundFacet>(); }
TimedFacet& timed(Module& module) { return *module.covers[1].facets.get<TimedFacet>(); }
CriticalPathFacet& path(Module& module) { return *module.covers[1].facets.get<CriticalPathFacet>(); }

/// The verifier's errors for `everything()` after `damage`.
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

TEST_CASE("a valid module has no errors") {
  CHECK(messagesAfter([](Module&) {}).empty());
}

TEST_CASE("damaged graphs are reported") {
  says([](Module& m) { m.graphs.clear(); }, "a module without a graph");
  says([](Module& m) { m.graphs[0_graph].parent = 0_op; }, "the main graph has a parent");
  says([](Module& m) { m.graphs[1_graph].parent = kNone; }, "which has another parent");
  says([](Module& m) { m.ops[5_op].regions.clear(); }, "a region 0 times");
  says([](Module& m) { m.graphs[0_graph].order.pop_back(); }, "live, but 0 times in its graph's order");
  says([](Module& m) { std::swap(m.graphs[0_graph].order[0], m.graphs[0_graph].order[1]); },
       "uses a value before it is made: `%h`");
  says([](Module& m) { m.ops[1_op].inputs[0] = 9999_value; }, "an operand that is not a value");
  says([](Module& m) { m.ops[3_op].inputs[0] = m.ops[2_op].outputs[0]; }, "uses a value of an erased operator: `%h2`");
  says([](Module& m) { m.ops[3_op].inputs[0] = m.ops[6_op].outputs[0]; },
       "uses a value of a graph that does not enclose it: `%x2`");
  says([](Module& m) { m.graphs[0_graph].outputs[0] = m.ops[2_op].outputs[0]; }, "uses a value of an erased operator");
  says([](Module& m) { m.ops[3_op].absorbed.clear(); }, "not in the list of the operator that absorbed it");
  says([](Module& m) { m.ops[2_op].absorbedInto = 0_op; }, "absorbed into an operator that is not live");
  says([](Module& m) { std::swap(m.ops[1_op].attributes[0], m.ops[1_op].attributes[1]); }, "attributes out of order");
}

TEST_CASE("damaged values are reported") {
  says([](Module& m) { m.values[0_value].name = {}; }, "without a name");
  says([](Module& m) { m.values[0_value].name = m.values[1_value].name; }, "not the only value of this name");
  says([](Module& m) { m.values[2_value].constant.reset(); }, "a constant without its tensor");
  says([](Module& m) { m.values[2_value].constant->ints->pop_back(); }, "2 elements kept of int64[3]");
  says([](Module& m) { m.values[m.ops[1_op].outputs[0]].producerIndex = 1; }, "not an output of its producer");
  says([](Module& m) { m.values[0_value].type.parameters.emplace_back(); }, "type with 1 parameters");
  says([](Module& m) { m.values[0_value].type.dims[0].value = -2; }, "a dimension that is negative");
  says([](Module& m) { m.values[m.ops[1_op].outputs[0]].kind = Value::Kind::Absent; }, "absent");
}

TEST_CASE("damaged candidates are reported") {
  says([](Module& m) { m.candidates[0_candidate].rule = 77_rule; }, "no such rule");
  says([](Module& m) { std::swap(m.candidates[0_candidate], m.candidates[1_candidate]); }, "not in order of rule");
  says([](Module& m) { m.candidates[0_candidate].ops = ids<OpId>({1, 2}); }, "holds `#2`, which is erased");
  says([](Module& m) { m.candidates[0_candidate].anchor = 6_op; }, "root or anchor outside its operators");
  says([](Module& m) { m.candidates[0_candidate].results = {0_value}; }, "returns a value that it does not compute");
}

TEST_CASE("damaged covers are reported") {
  says([](Module& m) { m.covers[0].kernels.resize(m.covers[0].kernels.size() - 1); }, "no kernel holds");
  says([](Module& m) { m.covers[0].kernels[2_kernel].ops = m.covers[0].kernels[1_kernel].ops; },
       "2 kernels that do not recompute hold");
  says([](Module& m) { std::swap(m.covers[0].kernels[1_kernel], m.covers[0].kernels[2_kernel]); }, "is at index");
  says(
      [](Module& m) {
        auto& kernels = m.covers[0].kernels;
        std::swap(kernels[1_kernel].ops, kernels[2_kernel].ops);
      },
      "its id is not its rank in Kahn's order");
  says([](Module& m) { std::swap(m.covers[0].kernels[0_kernel].ops[0], m.covers[0].kernels[0_kernel].ops[1]); },
       "another anchor than candidate 0");
  says([](Module& m) { m.covers[0].kernels[0_kernel].candidate.reset(); },
       "several operators without a candidate or a trace");
  says([](Module& m) { bound(m).kernels[0_kernel].events[0].event = 2; }, "event 2 is not a selected device event");
  says([](Module& m) { bound(m).kernels[1_kernel].events[0].event = 1; }, "event 1 twice");
  says([](Module& m) { bound(m).unbound.clear(); }, "3 of 4 selected events are bound or listed as unbound");
  says([](Module& m) { bound(m).kernels[0_kernel].state = KernelState::Unbound; }, "events, but `unbound`");
  says([](Module& m) { timed(m).kernels[0_kernel].reportedNs = 21; }, "reported time is 21 ns");
  says([](Module& m) { timed(m).run.boundNs = {0}; }, "bound time in ns: [0], but [30] in the trace");
  says([](Module& m) { timed(m).run.deviceNs = {-2}; }, "device time in ns: [-2], but [40] in the trace");
  says([](Module& m) { timed(m).run.undisturbedNs = 41; }, "undisturbed busy time in ns: 41, but 40 in the trace");
  says([](Module& m) { timed(m).run.representative = 7; }, "the representative iteration is 7, but 0 in the trace");
  says([](Module& m) { timed(m).run.representative.reset(); }, "the representative iteration is none, but 0 in");
  says([](Module& m) { timed(m).run.iterations = 2; }, "times of selected iterations: 2, but 1 in the trace");
  says([](Module& m) { timed(m).run.deviceEvents = 5; }, "device events: 5, but 4 in the trace");
  says([](Module& m) { timed(m).run.busyNs = {41}; }, "busy time in ns: [41], but [40] in the trace");
  says([](Module& m) { timed(m).run.wallNs.reset(); }, "no wall time, but starts in the trace");
  says([](Module& m) { timed(m).run.wallNs.emplace(); }, "wall time in ns: [], but [50] in the trace");
  says([](Module& m) { timed(m).run.windowNs = {{61}}; }, "window in ns: [61], but [60] in the trace");
  says([](Module& m) { timed(m).run.windowNs.reset(); }, "no window, but one in the trace");
  says([](Module& m) { timed(m).kernels[2_kernel] = {{-1}, -1, 0}; },
       "kernel 2: time in ns [-1], but [0] by its events");
  says([](Module& m) { timed(m).kernels[2_kernel].busyWithoutNs = 41; },
       "kernel 2: busy time without it is 41 ns, but 40 ns by the events");
  says([](Module& m) { timed(m).kernels[0_kernel].busyWithoutNs = 0; },
       "kernel 0: busy time without it is 0 ns, but 20 ns by the events");
  says([](Module& m) { timed(m).kernels[0_kernel] = {{0}, 0, 20}; },
       "kernel 0: time in ns [0], but [20] by its events");
  says([](Module& m) { timed(m).kernels[2_kernel] = {{1}, 1, 0}; }, "kernel 2: time in ns [1], but [0] by its events");
  says([](Module& m) { path(m).path = {1_kernel}; }, "marked critical");
  says([](Module& m) { path(m).durationNs = 31; }, "critical path below 0 or above the sum of all kernels");
  says([](Module& m) { path(m).kernels[1_kernel].slackNs = -1; }, "kernel 1: slack below 0");
  says([](Module& m) { path(m).kernels[0_kernel].slackNs = 7; }, "kernel 0: slack of 7 ns on the critical path");
  says([](Module& m) { path(m).durationNs = 19; }, "critical path of 19 ns, but its kernels take 20 ns");
  says([](Module& m) { path(m).ties = -1; }, "a negative number of tied paths");
  const auto branch = [](Module& m) -> Branch& { return path(m).branches[0]; };
  says([&](Module& m) { branch(m).join = 70_kernel; }, "branch 0: kernels unknown or not ascending");
  says([&](Module& m) { branch(m).join = 2_kernel; }, "branch 0: the kernel of `via` is not before the join");
  says([&](Module& m) { branch(m).from = 3_kernel; }, "branch 0: the kernel of `from` is not before the join");
  says(
      [&](Module& m) {
        branch(m).join = 4_kernel;
        branch(m).from = 3_kernel;
      },
      "branch 0: the kernel of `from` is after that of `via`");
  says([&](Module& m) { branch(m).from = 1_kernel; }, "branch 0: its first kernel is not after that of `from`");
  says([&](Module& m) { branch(m).kernels.pop_back(); }, "branch 0: its last kernel is not that of `via`");
  says([&](Module& m) { branch(m).kernelCount = 1; }, "branch 0: has 1 kernels, but lists 2");
  says([&](Module& m) { branch(m).kernelCount = 1000; }, "branch 0: has 1000 kernels, but the cover has ");
  says([&](Module& m) { branch(m).sumNs.reset(); }, "branch 0: has only one of the number of kernels and their sum");
  says([&](Module& m) { branch(m).pathNs = -1; }, "branch 0: its path is below 0");
  says([&](Module& m) { branch(m).sumNs = 9; }, "branch 0: its sum is below its path");
  says([&](Module& m) { branch(m).sumNs = 11; }, "branch 0: its sum is 11 ns, but its kernels take 10 ns");
  says([](Module& m) { path(m).branches[3].sumNs = 9; }, "branch 3: its sum is below its path");
  says([](Module& m) { path(m).branches[2].pathNs = 7; },
       "branch 2: its path is 7 ns, but the kernel of `via` takes 10");
  says(
      [](Module& m) {
        Branch& fromInput = path(m).branches[1];
        fromInput.pathNs = 1;
        fromInput.sumNs = 1;
      },
      "branch 1: its path is 1 ns, but it has no kernel");
  says([](Module& m) { m.covers[1].traceLabel = "h200"; }, "of no timeline `h200`");
  says([](Module& m) { m.covers[1].name = "other"; }, "has the trace `h100`, but not its name");
  says([](Module& m) { m.covers[0].name = "other"; }, "has no trace, but is not named `default`");
  says([](Module& m) { m.covers[2].name = m.covers[2].traceLabel = "h100"; }, "cover `h100`: its name is not unique");
}

TEST_CASE("runs keep their facts while another one is not bound") {
  const auto addRun = [](Module& m) {
    Timeline timeline;
    timeline.label = "new";
    m.addRun(std::move(timeline));
  };
  CHECK(messagesAfter(addRun).empty());
  Module module = everything();
  addRun(module);
  std::string errors;
  CHECK_MESSAGE(parseText(print(module), errors).has_value(), errors);
  says(
      [&](Module& m) {
        addRun(m);
        m.establish(Facet::Bound);
      },
      "timeline `new`: `bound` is established, but it has no cover");
  says(
      [&](Module& m) {
        addRun(m);
        m.covers[1].facets.drop({Facet::Timed});
      },
      "cover `h100`: `critical-path` is there without the facets that it is derived from");
  says(
      [&](Module& m) {
        addRun(m);
        m.covers[1].facets.drop(withDerived(Facet::Bound));
      },
      "cover `h100`: has a trace, but `bound` is missing");
}

TEST_CASE("facets and facts that disagree are reported") {
  // Facts without their facet: only text can say so, since a module drops both at once.
  const std::string whole = print(everything());
  for (const FacetInfo& facet : allFacets()) {
    if (facet.facet == Facet::Simplified) continue;  // every graph may be a simplified one
    const std::string listed = ", " + std::string(facet.name);
    std::string text = whole;
    REQUIRE(text.find(listed) != std::string::npos);
    text.replace(text.find(listed), listed.size(), "");
    std::string errors;
    CHECK_FALSE(parseText(text, errors).has_value());
    CHECK_MESSAGE(errors.find('`' + std::string(facet.name) + '`') != std::string::npos, facet.name << ": " << errors);
  }
  says([](Module& m) { m.covers[1].facets.drop({Facet::CriticalPath}); },
       "`critical-path` is missing, but established");
  says([](Module& m) { m.covers[0].facets.set(TimedFacet()); }, "`timed` without a trace");
  says([](Module& m) { timed(m).kernels.resize(3); }, "`timed` has 3 kernels, and the cover ");
  says([](Module& m) { bound(m).fit.reset(); }, "no statement `model` about the binding");
  says([](Module& m) { bound(m).kernels.resize(3); }, "`bound` has 3 kernels, and the cover ");
  says([](Module& m) { path(m).kernels.resize(3); }, "`critical-path` has 3 kernels, and the cover ");
  says([](Module& m) { m.scenarios[0].changes[0].fixedNs = 1; },
       "scenario `faster`: `sdpa` has both a factor and a new time");
  says([](Module& m) { m.scenarios[0].changes[0].selectors.clear(); }, "takes one selector");
  says([](Module& m) { m.scenarios[0].changes[0].stream = 1; }, "takes no stream");
  says([](Module& m) { m.scenarios[0].changes[0].kind = ChangeKind::Remove; }, "takes no factor");
  says([](Module& m) { m.scenarios[0].changes[1].kind = ChangeKind::Batch; }, "says no ratio");
  says([](Module& m) { m.scenarios[0].changes[1].fixedNs = -1; }, "has a new time below 0");
  says([](Module& m) { m.scenarios[0].changes[1].selectors[0].text = "("; }, "invalid regular expression");
  says([](Module& m) { m.scenarios[0].changes[2].selectors[1].text.clear(); }, "the selector is empty");
  says([](Module& m) { m.scenarios[0].changes[2].selectors[1].kind = SelectorKind::HostOperator; }, "names none");
  says([](Module& m) { m.scenarios[0].changes[3].stream = -1; }, "has a stream below 0");
  says([](Module& m) { m.scenarios[1].changes.clear(); }, "scenario `graph`: the scenario has no changes");
}

TEST_CASE("damaged timelines are reported") {
  says([](Module& m) { m.timelines[0].hasStarts = false; }, "events without starts are not end to end");
  says([](Module& m) { m.timelines[0].meanOf = 0; }, "a mean of 0 executions");
  says([](Module& m) { m.timelines[0].latenciesNs = {int64_t{1} << 62, int64_t{1} << 62}; },
       "latencies beyond the limit of times");
  says([](Module& m) { m.timelines[1].label = "h100"; }, "not the only one of this label");
  says([](Module& m) { m.timelines[0].startNs[3] = 0; }, "starts before the one before it");
  says([](Module& m) { m.timelines[0].iteration[3] = 3; }, "in no iteration");
  says([](Module& m) { m.timelines[0].iteration[3] = 2; }, "event 3 in an iteration without device work");
  const auto iteration = [](Module& m, size_t index) -> Iteration& { return m.timelines[0].iterations[index]; };
  says([&](Module& m) { iteration(m, 1).endNs = 9; }, "iteration 1 ends before it begins");
  says([&](Module& m) { iteration(m, 1).startNs = 4; }, "iteration 1 begins before an earlier iteration");
  says([&](Module& m) { iteration(m, 1).endNs = kMaxTimeNs + 1; }, "iteration 1 begins or ends beyond");
  says([](Module& m) { m.timelines[0].durationNs[3] = -7; },
       "event 3 has a negative duration or is beyond 2305843009213693952 ns: start 40 ns, duration -7 ns");
  says([](Module& m) { m.timelines[0].durationNs[3] = INT64_MAX; }, "is beyond 2305843009213693952 ns");
  says([](Module& m) { m.timelines[0].startNs[0] = INT64_MIN; }, "is beyond 2305843009213693952 ns");
  says(
      [](Module& m) {
        for (int64_t& duration : m.timelines[0].durationNs) duration = kMaxTimeNs / 2;
      },
      "durations of events add up to more than");
  says(
      [](Module& m) {
        m.timelines[0].startNs[0] = -kMaxTimeNs;
        m.timelines[0].startNs[5] = kMaxTimeNs - 10;
      },
      "lengths of iterations add up to more than");
}
