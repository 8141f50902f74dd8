#include "ir/facets/timed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "ir/facets/bound.h"
#include "ir/facets/kernel_rows.h"
#include "timeline/totals.h"

namespace amdahlc::ir {

template <>
std::unique_ptr<StoredFacet> makeFacet<Facet::Timed>() {
  return std::make_unique<TimedFacet>();
}

void TimedFacet::print(TextWriter& out, const FacetOwner& owner) const {
  out.line() << "run iterations " << run.iterations << " events " << run.deviceEvents << " busy ";
  out.numbers(run.busyNs) << " wall ";
  out.numbers(run.wallNs);
  if (run.windowNs) (out << " window ").numbers(*run.windowNs);
  out << " device " << run.deviceNs << " bound " << run.boundNs << " unbound " << run.unboundNs;
  for (const KernelId id : kernels.ids()) {
    const KernelTime& time = kernels[id];
    (out.line() << "kernel " << id << ' ').numbers(time.perIterationNs)
        << " total " << time.totalNs << " busy-without " << time.busyWithoutNs;
    printLabel(out, owner, id);
  }
}

void TimedFacet::parseStatement(TextReader& in, const FacetOwner&) {
  if (in.accept("run")) {
    in.expect("iterations");
    run.iterations = in.nonNegative("a number of iterations");
    in.expect("events");
    run.deviceEvents = in.nonNegative("a number of events");
    in.expect("busy");
    run.busyNs = in.durationsNs();
    in.expect("wall");
    run.wallNs = in.durationsNs();
    if (in.accept("window")) run.windowNs = in.durationsNs();
    in.expect("device");
    run.deviceNs = in.durationNs();
    in.expect("bound");
    run.boundNs = in.durationNs();
    in.expect("unbound");
    run.unboundNs = in.durationNs();
  } else if (in.accept("kernel")) {
    parseKernelId(in, kernels.nextId());
    KernelTime time;
    time.perIterationNs = in.durationsNs();
    in.expect("total");
    time.totalNs = in.durationNs();
    in.expect("busy-without");
    time.busyWithoutNs = in.durationNs();
    kernels.push_back(std::move(time));
  } else {
    in.failExpected({"run", "kernel"});
  }
}

namespace {

/// The times of the selected iterations, computed from the timeline and the facet `bound`.
RunTimes runTimes(const FacetOwner& owner) {
  RunTimes run;
  const std::vector<IterationTimes> times = iterationTimes(*owner.timeline);
  run.windowNs.emplace();
  for (size_t i = 0; i < times.size(); ++i) {
    if (!owner.timeline->iterations[i].selected) continue;
    ++run.iterations;
    run.deviceEvents += times[i].events;
    run.deviceNs += times[i].deviceNs;
    run.busyNs.push_back(times[i].busyNs);
    run.wallNs.push_back(times[i].wallNs);
    if (run.windowNs && times[i].windowNs) {
      run.windowNs->push_back(*times[i].windowNs);
    } else {
      run.windowNs.reset();
    }
  }
  for (const KernelBinding& kernel : owner.cover.facets.get<BoundFacet>()->kernels) {
    for (const BoundEvent& bound : kernel.events) run.boundNs += owner.timeline->durationNs[bound.event];
  }
  run.unboundNs = run.deviceNs - run.boundNs;
  return run;
}

int64_t sum(const std::vector<int64_t>& times) { return std::accumulate(times.begin(), times.end(), int64_t{0}); }

}  // namespace

void TimedFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  verifyRowCount(owner, kFacet, kernels.size(), reporter);
  const RunTimes measured = runTimes(owner);
  const auto agree = [&](const char* what, auto stated, auto said) {
    if (stated != said) reporter.cover(fmt::format("{} {}, but {} in the trace", what, stated, said));
  };
  const auto agreeEach = [&](const char* what, const std::vector<int64_t>& stated, const std::vector<int64_t>& said) {
    if (stated != said)
      reporter.cover(
          fmt::format("{} [{}], but [{}] in the trace", what, fmt::join(stated, ", "), fmt::join(said, ", ")));
  };
  const auto iterations = static_cast<size_t>(measured.iterations);
  agree("times of selected iterations:", run.iterations, measured.iterations);
  agree("device events:", run.deviceEvents, measured.deviceEvents);
  agreeEach("busy time in ns:", run.busyNs, measured.busyNs);
  agreeEach("wall time in ns:", run.wallNs, measured.wallNs);
  if (run.windowNs && measured.windowNs) {
    agreeEach("window in ns:", *run.windowNs, *measured.windowNs);
  } else if (run.windowNs || measured.windowNs) {
    reporter.cover(run.windowNs ? "a window, but none in the trace" : "no window, but one in the trace");
  }
  agree("device time in ns:", run.deviceNs, measured.deviceNs);
  agree("bound time in ns:", run.boundNs, measured.boundNs);
  agree("unbound time in ns:", run.unboundNs, measured.unboundNs);

  const int64_t busyNs = sum(measured.busyNs);
  __int128 kernelsNs = 0;
  for (const KernelId id : kernels.ids()) {
    const KernelTime& time = kernels[id];
    if (time.perIterationNs.size() != iterations) {
      reporter.kernel(id,
                      "times of " + number(time.perIterationNs.size()) + " iterations, not of " + number(iterations));
      continue;
    }
    __int128 totalNs = 0;
    for (const int64_t ns : time.perIterationNs) {
      if (ns < 0) reporter.kernel(id, "a time below 0");
      totalNs += ns;
    }
    if (totalNs != time.totalNs) reporter.kernel(id, "total is not the sum over the iterations");
    if (time.busyWithoutNs < 0 || time.busyWithoutNs > busyNs)
      reporter.kernel(id, "busy time without it is below 0 or above that with it");
    kernelsNs += totalNs;
  }
  if (kernelsNs > measured.boundNs) reporter.cover("times of kernels add up to more than the bound time");
}

}  // namespace amdahlc::ir
