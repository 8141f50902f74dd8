/// Changes of a program, predicted and made: the program with the change is simulated, too.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "replay/schedule/dropped_waits.h"
#include "replay/schedule/program_changes.h"
#include "replay/schedule/replay.h"
#include "tests/unit/replay/schedule/run_builder.h"
#include "tests/unit/replay/schedule/simulator.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

using Program = std::vector<Step>;

void add(Program& program, Program more) {
  for (Step& step : more) program.push_back(std::move(step));
}

/// A kernel as a framework launches it: an operator of the host with work before and after the launch.
Program op(const std::string& name, const std::string& stream, int64_t hostNs, int64_t kernelNs) {
  return {Begin{"aten::" + name}, Work{hostNs}, Launch{name, stream, kernelNs}, Work{hostNs / 4}, End{}, Work{hostNs}};
}

EventSet eventsNamed(const Timeline& timeline, const std::set<std::string>& names) {
  EventSet events;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    events.push_back(names.contains(std::string(timeline.text(timeline.name[event]))));
  return events;
}

EventSet everything(const Timeline& timeline) { return EventSet(timeline.size(), true); }

SimulatedTimes runTimes(const ReplayedRun& run) {
  SimulatedTimes times{run.wallNs, 0};
  for (const ReplayedIteration& iteration : run.iterations) times.windowNs += *iteration.windowNs;
  return times;
}

void checkWithin1Percent(const char* what, int64_t predictedNs, int64_t truthNs) {
  CHECK_MESSAGE(std::abs(predictedNs - truthNs) * 100 <= truthNs,
                what << " predicted " << predictedNs << ", but " << truthNs);
}

/// Predicts `after` from a recording of `before`. The change must be one: at least a twentieth of wall or of the
/// window.
template <typename Change>
void check(const Program& before, const Program& after, Change change) {
  const Machine machine;
  const SimulatedRun measured = simulate(before, machine);
  const SimulatedTimes truth = simulate(after, machine).times;
  const RunModel model(measured.timeline);
  Changes changes;
  change(model, changes);
  const SimulatedTimes unchanged = runTimes(replay(model)), changed = runTimes(replay(model, changes));
  checkWithin1Percent("wall", measured.times.wallNs + changed.wallNs - unchanged.wallNs, truth.wallNs);
  checkWithin1Percent("window", measured.times.windowNs + changed.windowNs - unchanged.windowNs, truth.windowNs);
  CHECK_MESSAGE(std::abs(measured.times.wallNs - truth.wallNs) * 20 > truth.wallNs,
                "the change is none: wall " << measured.times.wallNs);
}

}  // namespace

TEST_CASE("kernels are removed with their launches and their operators") {
  for (const int64_t kernelNs : {4'000, 30'000, 200'000}) {
    CAPTURE(kernelNs);
    Program before, after;
    for (int layer = 0; layer < 60; ++layer) {
      add(before, op("gemm", "7", 12'000, kernelNs));
      add(before, op("gelu", "7", 9'000, kernelNs / 3));
      add(after, op("gemm", "7", 12'000, kernelNs));
      after.push_back(Work{9'000});
      if (layer % 20 == 19)
        for (Program* program : {&before, &after}) program->push_back(StreamSync{"7"});
    }
    for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
    check(before, after, [](const RunModel& model, Changes& changes) {
      removeEvents(model, eventsNamed(model.calls.timeline(), {"gelu"}), changes);
    });
  }
}

TEST_CASE("a module of which nothing is left is not called") {
  const Program linear = op("gemm", "7", 6'000, 3'000), norm = op("norm", "7", 6'000, 3'000);
  Program before, after;
  const auto moduleOf = [](const Program& inside) {
    Program program{Begin{"nn.Module: Part_0", true}, Work{20'000}};
    add(program, inside);
    add(program, {Work{10'000}, End{}});
    return program;
  };
  Program both = linear;
  add(both, norm);
  Program left = linear;
  left.push_back(Work{6'000});
  for (int layer = 0; layer < 40; ++layer) {
    // The first module launches nothing else; the second one stays without its last operator.
    for (const Program& part : {moduleOf(norm), moduleOf(both)}) add(before, part);
    add(after, moduleOf(left));
  }
  for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
  check(before, after, [](const RunModel& model, Changes& changes) {
    removeEvents(model, eventsNamed(model.calls.timeline(), {"norm"}), changes);
  });
}

TEST_CASE("an operator that launches something else stays") {
  Program before, after;
  for (int layer = 0; layer < 60; ++layer) {
    for (Program* program : {&before, &after}) program->push_back(Begin{"aten::block"});
    add(before, op("gemm", "7", 5'000, 30'000));
    add(before, {Work{3'000}, Launch{"bias", "7", 20'000}, Work{2'000}, End{}});
    add(after, op("gemm", "7", 5'000, 30'000));
    add(after, {Work{3'000}, Work{2'000}, End{}});
  }
  for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
  check(before, after, [](const RunModel& model, Changes& changes) {
    removeEvents(model, eventsNamed(model.calls.timeline(), {"bias"}), changes);
  });
}

TEST_CASE("fused kernels take the place and the launch of the last") {
  for (const int64_t kernelNs : {4'000, 60'000}) {
    CAPTURE(kernelNs);
    Program before, after;
    for (int layer = 0; layer < 50; ++layer) {
      for (const char* part : {"scale", "softmax", "product"}) add(before, op(part, "7", 8'000, kernelNs));
      // The parts save a third of their time together. The host's work between operators stays.
      add(after, {Work{8'000}, Work{8'000}});
      add(after, op("product", "7", 8'000, 2 * kernelNs));
    }
    for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
    check(before, after, [](const RunModel& model, Changes& changes) {
      const Timeline& timeline = model.calls.timeline();
      const EventSet last = eventsNamed(timeline, {"product"});
      for (EventIndex event = 0; event < timeline.size(); ++event)
        changes.events.push_back(last[event] ? Rational::of(2) : Rational::of(1));
      removeEvents(model, eventsNamed(timeline, {"scale", "softmax"}), changes);
    });
  }
}

TEST_CASE("a larger batch makes kernels and copies longer, and the host not") {
  Program before, after;
  for (int layer = 0; layer < 40; ++layer) {
    for (Program* program : {&before, &after}) {
      const int64_t factor = program == &after ? 3 : 1;
      if (layer % 10 == 0) add(*program, {PageableCopy{"7", 20'000 * factor}});
      add(*program, op("gemm", "7", 12'000, 15'000 * factor));
    }
  }
  for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
  check(before, after, [](const RunModel& model, Changes& changes) {
    changes.events.assign(model.calls.timeline().size(), Rational::of(3));
  });
}

TEST_CASE("work that two streams wait for one another keeps its order where something is removed") {
  Program before, after;
  int record = 0;
  for (int layer = 0; layer < 40; ++layer) {
    for (Program* program : {&before, &after}) {
      add(*program, op("gemm", "7", 3'000, 50'000));
      add(*program, {Record{record, "7"}, Wait{record, "20"}});
      if (program == &before) program->push_back(Launch{"side", "20", 40'000});
      add(*program, {Launch{"tail", "20", 10'000}, Record{record + 1, "20"}, Wait{record + 1, "7"}});
    }
    record += 2;
  }
  for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
  check(before, after, [](const RunModel& model, Changes& changes) {
    removeEvents(model, eventsNamed(model.calls.timeline(), {"side"}), changes);
  });
}

TEST_CASE("launches between waits become a graph") {
  for (const int64_t kernelNs : {1'000, 4'000, 8'000}) {
    CAPTURE(kernelNs);
    Program before, after;
    for (int step = 0; step < 4; ++step) {
      GraphLaunch graph;
      for (Program* program : {&before, &after}) add(*program, {Work{30'000}, PageableCopy{"7", 20'000}, Work{6'000}});
      for (int layer = 0; layer < 40; ++layer) {
        add(before, {Work{5'000}, Launch{"gemm", "7", kernelNs}, Work{4'000}, Launch{"relu", "7", kernelNs / 2}});
        graph.kernels.insert(graph.kernels.end(), {{"gemm", "7", kernelNs}, {"relu", "7", kernelNs / 2}});
      }
      // The host's work before the first launch stays.
      add(after, {Work{5'000}, graph});
      for (Program* program : {&before, &after}) {
        add(*program, {Work{2'000}, DeviceSync{}, Work{40'000}});
        if (step < 3) program->push_back(NextStep{});
      }
    }
    check(before, after, [](const RunModel& model, Changes& changes) {
      captureGraphs(model, everything(model.calls.timeline()), changes);
      CHECK(changes.stretches.size() == 4);
    });
  }
}

TEST_CASE("memory that is allocated at once cannot be a part of a graph, and in the order of a stream it can") {
  const std::pair<const char*, int64_t> cases[] = {
      {"cudaMalloc", 2}, {"cudaFree", 2}, {"cuMemAlloc_v2", 2}, {"cudaMallocAsync", 1}, {"hipFreeAsync", 1}};
  for (const auto& [name, graphs] : cases) {
    CAPTURE(name);
    RunBuilder run;
    run.step("ProfilerStep#1", {0, 100 * us});
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t ns = i * 20 * us;
      run.launch({ns, ns + 5 * us}, i);
      if (i == 1) run.call(name, {ns + 6 * us, ns + 15 * us});
      run.kernel("k", {ns + 8 * us, ns + 12 * us}, i);
    }
    const Timeline timeline = run.finish();
    const RunModel model(timeline);
    Changes changes;
    captureGraphs(model, everything(timeline), changes);
    CHECK(static_cast<int64_t>(changes.stretches.size()) == graphs);
  }
}

TEST_CASE("work in another stream waits for what it needs, and what needs it waits") {
  // Two branches of each layer in one stream; the second one moves.
  struct Lengths {
    int64_t hostNs, leftNs, rightNs;
  };
  // The join waits for the branch that stays, and for the one that moves.
  for (const auto& [hostNs, leftNs, rightNs] :
       {Lengths{500, 60'000, 45'000}, Lengths{4'000, 60'000, 45'000}, Lengths{500, 45'000, 60'000}}) {
    CAPTURE(hostNs);
    CAPTURE(rightNs);
    Program before, after;
    int record = 0;
    for (int layer = 0; layer < 30; ++layer) {
      add(before, op("fork", "7", hostNs, 20'000));
      add(before, op("left", "7", hostNs, leftNs));
      add(before, op("right", "7", hostNs, rightNs));
      add(before, op("join", "7", hostNs, 10'000));
      add(after, op("fork", "7", hostNs, 20'000));
      after.push_back(Record{record, "7"});
      add(after, op("left", "7", hostNs, leftNs));
      after.push_back(Wait{record, "20"});
      add(after, op("right", "20", hostNs, rightNs));
      add(after, {Record{record + 1, "20"}, Wait{record + 1, "7"}});
      add(after, op("join", "7", hostNs, 10'000));
      record += 2;
    }
    for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
    check(before, after, [&](const RunModel& model, Changes& changes) {
      const Timeline& timeline = model.calls.timeline();
      MovedEvents moved{eventsNamed(timeline, {"right"}), {}, EventSet(timeline.size(), false)};
      for (EventIndex event = 0; event < timeline.size(); ++event) {
        const auto name = timeline.text(timeline.name[event]);
        if (name == "fork" && event > 0) moved.needs[event] = {event - 1};
        if (name == "left") moved.needs[event] = {event - 1};
        if (name == "right") moved.needs[event] = {event - 2};
        if (name == "join") moved.needs[event] = {event - 2, event - 1};
      }
      moveEvents(model, moved, static_cast<StreamIndex>(model.calls.streams()), changes);
    });
  }
}

TEST_CASE("work of which nobody knows what it needs keeps its order to what moves") {
  Program program;
  for (int layer = 0; layer < 20; ++layer) {
    add(program, op("right", "7", 500, 50'000));
    add(program, op("foreign", "7", 500, 50'000));
  }
  program.push_back(DeviceSync{});
  const SimulatedRun measured = simulate(program, Machine());
  const RunModel model(measured.timeline);
  Changes changes;
  moveEvents(model, {eventsNamed(measured.timeline, {"right"}), {}, eventsNamed(measured.timeline, {"foreign"})},
             static_cast<StreamIndex>(model.calls.streams()), changes);
  CHECK(replay(model, changes).wallNs >= replay(model).wallNs);
}

TEST_CASE("copies are made an iteration ahead, and results do not hold the work after them") {
  for (const int64_t copyNs : {40'000, 300'000, 900'000}) {
    CAPTURE(copyNs);
    constexpr int kSteps = 12;
    Program before, after;
    int record = 0;
    for (int step = 0; step < kSteps; ++step) {
      add(before, {PageableCopy{"7", copyNs}});
      // In the changed program the copy is that for the next step.
      add(after, {PinnedCopy{"21", copyNs}, Record{record + 1, "21"}});
      for (int layer = 0; layer < 10; ++layer)
        for (Program* program : {&before, &after}) {
          if (program == &after && layer == 0 && step > 0) after.push_back(Wait{record, "7"});
          add(*program, op("gemm", "7", 3'000, 50'000));
        }
      ++record;
      for (Program* program : {&before, &after})
        if (step + 1 < kSteps) program->push_back(NextStep{});
    }
    for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
    check(before, after, [&](const RunModel& model, Changes& changes) {
      overlapCopies(model, everything(model.calls.timeline()), changes);
      CHECK(std::ranges::count(changes.streams, model.calls.streams()) == kSteps);
      CHECK(std::ranges::count(changes.streams, model.calls.streams() + 1) == 0);
    });
  }
}

TEST_CASE("a call that reads a result still waits for it") {
  Program before, after;
  int record = 0;
  for (int layer = 0; layer < 30; ++layer) {
    for (Program* program : {&before, &after}) {
      add(*program, op("gemm", "7", 2'000, 30'000));
      if (program == &before) {
        program->push_back(PageableCopyBack{"7", 50'000});
      } else {
        add(*program, {Record{record, "7"}, Wait{record, "22"}, PageableCopyBack{"22", 50'000}});
        ++record;
      }
      add(*program, op("relu", "7", 1'000, 30'000));
    }
  }
  for (Program* program : {&before, &after}) program->push_back(DeviceSync{});
  const Machine machine;
  const SimulatedRun measured = simulate(before, machine);
  const RunModel model(measured.timeline);
  Changes changes;
  overlapCopies(model, everything(measured.timeline), changes);
  CHECK(std::ranges::count(changes.streams, model.calls.streams() + 1) == 30);
  const SimulatedTimes changed = runTimes(replay(model, changes));
  checkWithin1Percent("wall", changed.wallNs, simulate(after, machine).times.wallNs);
}

TEST_CASE("the host goes on where it does not wait, and waits at the end of a step") {
  for (const int64_t kernelNs : {4'000, 40'000}) {
    CAPTURE(kernelNs);
    Program before, after;
    for (int step = 0; step < 4; ++step) {
      for (int layer = 0; layer < 20; ++layer) {
        for (Program* program : {&before, &after}) add(*program, op("gemm", "7", 9'000, kernelNs));
        add(before, {Begin{"aten::item"}, Work{2'000}, PageableCopyBack{"7", 1'500}, StreamSync{"7"}, End{}});
        add(after, {Begin{"aten::item"}, Work{2'000}, PinnedCopy{"7", 1'500}, End{}});
      }
      for (Program* program : {&before, &after}) {
        add(*program, op("norm", "7", 9'000, kernelNs));
        add(*program, {Begin{"aten::item"}, PageableCopyBack{"7", 1'500}, StreamSync{"7"}, End{}});
        if (step < 3) program->push_back(NextStep{});
      }
    }
    check(before, after, [](const RunModel& model, Changes& changes) { dropWaits(model, "aten::item", changes); });
  }
}

TEST_CASE("waits have the names of their calls and of what is around them, but for those at the end of a step") {
  const SimulatedRun run = simulate({Begin{"aten::item"}, StreamSync{"7"}, End{}, Launch{"gemm", "7", 4'000},
                                     Begin{"nn.Module: Loss_0", true}, Begin{"aten::nonzero"}, StreamSync{"7"}, End{},
                                     End{}, Launch{"gemm", "7", 4'000}, Begin{"aten::equal"}, DeviceSync{}, End{}},
                                    Machine());
  // The first one has nothing to wait for, but could have.
  CHECK(namesOfWaits(RunModel(run.timeline)) ==
        std::vector<std::string>{"aten::item", "aten::nonzero", "cudaStreamSynchronize", "nn.Module: Loss_0"});
}
