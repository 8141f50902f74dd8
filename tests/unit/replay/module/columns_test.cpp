/// A run that was written as columns and read again predicts the same; other columns do no harm.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "replay/module/searches.h"
#include "replay/schedule/dropped_waits.h"
#include "replay/schedule/scaled_time.h"
#include "tests/unit/replay/schedule/run_builder.h"
#include "tests/unit/replay/schedule/simulator.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

/// A run of which the events of one name are a kernel, with all that a page may offer of it.
struct OfferedRun {
  Timeline timeline;
  std::vector<Rational> undisturbed;
  ScenarioRun kernels;
  Offer offer;
  std::optional<schedule::RunModel> model;
  schedule::RunSchedule schedule;

  OfferedRun(Timeline run, bool isReplayed) : timeline(std::move(run)) {
    undisturbed.assign(timeline.size(), Rational::of(9, 10));
    std::map<uint32_t, KernelId> ofName;
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      const auto [found, isNew] = ofName.try_emplace(timeline.name[event].index, kernels.kernelNs.nextId());
      if (isNew) {
        kernels.kernelNs.push_back(0);
        kernels.phases.push_back(Phase::Forward);
      }
      kernels.kernelNs[found->second] += timeline.durationNs[event];
      kernels.events.owners.push_back(event % 7 == 6 ? kUnboundOwner : found->second);
      kernels.events.phases.push_back(event % 2 == 0 ? Phase::Forward : Phase::Backward);
      kernels.events.forwards.push_back(event % 3);
    }
    kernels.forwardGroups = 2;
    offer.batches.push_back({Rational::of(2), {}});
    FusedGroup fused{.parts = {}, .leastNs = 10};
    for (const KernelId kernel : kernels.kernelNs.ids()) {
      offer.changes.push_back({.subject = ChangeSubject::Kernels, .kernels = {kernel}});
      offer.batches.back().factors.push_back(kernel.index() % 2 == 0 ? std::nullopt
                                                                     : std::optional(Rational::of(3, 2)));
      if (kernel.index() < 3) fused.parts.push_back({kernel, 100, 1000, 1234.5});
    }
    const auto add = [&](OfferedChange change) { offer.changes.push_back(std::move(change)); };
    add({.subject = ChangeSubject::Device});
    add({.subject = ChangeSubject::Phase, .value = static_cast<uint32_t>(Phase::Backward)});
    add({.subject = ChangeSubject::Forwards, .value = 1});
    add({.subject = ChangeSubject::Batch, .value = 0});
    add({.subject = ChangeSubject::Fused, .fused = {{fused}, {fused}}});
    if (!isReplayed) return;
    model.emplace(timeline);
    schedule = schedule::runSchedule(*model);
    add({.subject = ChangeSubject::Host});
    add({.subject = ChangeSubject::Launches});
    add({.subject = ChangeSubject::Copies});
    add({.subject = ChangeSubject::AllLaunches});
    for (const std::string& name : schedule::namesOfHostWork(model->calls))
      if (!name.empty() && offer.changes.size() < 60) add({.subject = ChangeSubject::HostWork, .name = name});
    for (const auto& [name, waits] : schedule::waitsByName(*model))
      add({.subject = ChangeSubject::Waits, .waits = waits});
    // Each kernel needs the one before it; of one nobody knows what it needs.
    offer.needs.needs.resize(kernels.kernelNs.size());
    for (const KernelId kernel : kernels.kernelNs.ids()) {
      offer.needs.isKnown.push_back(kernel.index() != 1);
      if (kernel.index() > 0) offer.needs.needs[kernel] = {KernelId(kernel.index() - 1)};
    }
    // The kernels, and the host.
    for (uint32_t change = 0; change < offer.changes.size(); ++change)
      if (offer.changes[change].subject == ChangeSubject::Kernels ||
          offer.changes[change].subject == ChangeSubject::Host)
        offer.groups.push_back(change);
  }

  RunColumns columns() const {
    return write(
        {timeline, undisturbed, model ? &*model : nullptr, model ? &schedule : nullptr, nullptr, kernels, offer});
  }

  std::vector<ChosenChange> choose(std::mt19937& random) const {
    std::vector<ChosenChange> chosen;
    for (size_t count = 1 + random() % 4; count > 0; --count) {
      const auto change = static_cast<uint32_t>(random() % offer.changes.size());
      auto order = static_cast<ChangeOrder>(random() % (static_cast<size_t>(ChangeOrder::Graph) + 1));
      while (!takes(offer.changes[change].subject, order))
        order =
            static_cast<ChangeOrder>((static_cast<size_t>(order) + 1) % (static_cast<size_t>(ChangeOrder::Graph) + 1));
      ChosenChange one{change, order, Rational::of(static_cast<int64_t>(random() % 4), 1 + random() % 4)};
      constexpr int64_t kNumbers[] = {0, 7, 20, 999};
      const bool isOfKernels = offer.changes[change].subject == ChangeSubject::Kernels;
      if (isOfKernels && random() % 2 == 0) one.number = kNumbers[random() % std::size(kNumbers)];
      if (offer.changes[change].subject == ChangeSubject::Waits) one.factor = Rational::of(0);
      CHECK(takes(offer, one));
      chosen.push_back(one);
    }
    return chosen;
  }
};

/// Launches with waits, copies, operators, two streams and graphs.
Timeline program() {
  std::vector<Step> steps;
  for (int step = 0; step < 4; ++step) {
    steps.insert(steps.end(), {Begin{"model", true}, PageableCopy{"7", 20'000}});
    for (int layer = 0; layer < 10; ++layer) {
      const int record = step * 10 + layer;
      steps.insert(steps.end(), {Begin{"gemm"}, Work{3'000}, Launch{"gemm", "7", 30'000}, End{}, Begin{"relu"},
                                 Launch{"relu", "7", 5'000}, Work{2'000}, End{}, Record{record, "7"},
                                 Wait{record, "20"}, Launch{"side", "20", 9'000}});
    }
    steps.insert(steps.end(), {GraphLaunch{{{"gemm", "7", 4'000}, {"relu", "7", 2'000}}}, End{}, StreamSync{"7"},
                               DeviceSync{}, Work{20'000}});
    if (step < 3) steps.push_back(NextStep{});
  }
  return simulate(steps, {}).timeline;
}

}  // namespace

TEST_CASE("a run that was read predicts what the run predicts that was written") {
  for (const bool isReplayed : {true, false}) {
    CAPTURE(isReplayed);
    const OfferedRun run(program(), isReplayed);
    const auto read = ReadRun::read(run.columns());
    REQUIRE(read);
    const schedule::Predictor predictor(run.timeline, run.undisturbed, run.model ? &*run.model : nullptr,
                                        run.model ? &run.schedule : nullptr);
    CHECK(read->predictor().base() == predictor.base());
    std::mt19937 random(1);
    size_t predicted = 0;
    for (int i = 0; i < 300; ++i) {
      const std::vector<ChosenChange> chosen = run.choose(random);
      RunScenario scenario(run.kernels, run.model ? &*run.model : nullptr);
      const Conflict conflict = make(chosen, run.offer, scenario);
      Conflict readConflict = Conflict::None;
      const auto times = read->predict(chosen, readConflict);
      CHECK(conflict == readConflict);
      if (conflict != Conflict::None) continue;
      CHECK(times == predict(predictor, run.kernels.events, std::move(scenario).finish()));
      ++predicted;
    }
    CHECK(predicted > 200);
  }
}

TEST_CASE("the streams of stated waits keep all of their 64 bits") {
  constexpr int64_t kWide = (int64_t{1} << 60) + 1;
  RunBuilder trace;
  trace.launch({0, 10}, 1);
  trace.kernel("gemm", {20, 60}, 1, std::to_string(kWide));
  trace.call("cudaStreamWaitEvent", {15, 17}, 3);
  trace.stated("Stream Wait Event", {15, 17}, 3, WaitFacts{7, kWide, 2});
  trace.call("cudaStreamWaitEvent", {25, 27}, 4);
  trace.stated("Stream Wait Event", {25, 27}, 4, WaitFacts{kWide + 1, -1, -1});
  const OfferedRun run(trace.finish(), true);
  const auto read = ReadRun::read(run.columns());
  REQUIRE(read);
  std::vector<std::pair<int64_t, int64_t>> streams;
  for (const WaitFacts& wait : read->timeline().host->waitFacts) streams.emplace_back(wait.stream, wait.sourceStream);
  CHECK(streams == std::vector<std::pair<int64_t, int64_t>>{{7, kWide}, {kWide + 1, -1}});
}

TEST_CASE("a search that is made of many small parts finds what it finds at once") {
  const OfferedRun run(program(), true);
  const auto read = ReadRun::read(run.columns());
  REQUIRE(read);
  RunSearches whole(*read), parts(*read);
  const ChosenChange beside{0, ChangeOrder::NewTime, Rational::of(1, 2)};
  REQUIRE(whole.beginCurve(1, {&beside, 1}));
  REQUIRE(parts.beginCurve(1, {&beside, 1}));
  CHECK_FALSE(parts.beginCurve(static_cast<uint32_t>(run.offer.changes.size()), {}));
  using Step = bool (*)(RunSearches&, int64_t, std::vector<int64_t>&);
  constexpr Step kSteps[] = {
      [](RunSearches& all, int64_t most, std::vector<int64_t>& out) { return all.curve(most, out); },
      [](RunSearches& all, int64_t most, std::vector<int64_t>& out) { return all.goal(11, 10, most, out); },
      [](RunSearches& all, int64_t most, std::vector<int64_t>& out) { return all.effects(most, out); }};
  for (const Step step : kSteps) {
    std::vector<int64_t> expected, found;
    REQUIRE(step(whole, 1'000'000, expected));
    size_t count = 1;
    while (!step(parts, 1, found)) ++count;
    // Some predictions are kept from the search before.
    CHECK(count > 1);
    CHECK(found == expected);
  }
}

TEST_CASE("columns with any values are read without harm") {
  for (const bool isReplayed : {true, false}) {
    const OfferedRun run(program(), isReplayed);
    const RunColumns columns = run.columns();
    std::mt19937 random(2);
    size_t refused = 0;
    for (int i = 0; i < 1'000; ++i) {
      RunColumns changed = columns;
      std::vector<int64_t>& values = changed.columns[random() % kRunColumnCount];
      constexpr int64_t kValues[] = {-2,       -1, 0, 1, 255, int64_t{1} << 31, int64_t{1} << 40, int64_t{1} << 52,
                                     INT64_MIN};
      if (values.empty())
        values.push_back(1);
      else if (i % 10 == 0)
        values.resize(random() % values.size());
      else
        values[random() % values.size()] = kValues[random() % std::size(kValues)];
      const auto read = ReadRun::read(changed);
      refused += !read;
      if (!read) continue;
      Conflict conflict = Conflict::None;
      const std::vector<ChosenChange> chosen = run.choose(random);
      if (std::ranges::all_of(chosen, [&](const ChosenChange& one) { return takes(read->offer(), one); }))
        read->predict(chosen, conflict);
    }
    CHECK(refused > 300);
  }
}
