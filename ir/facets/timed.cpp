#include "ir/facets/timed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "ir/facets/bound.h"
#include "ir/invariants.h"
#include "ir/text/printers.h"
#include "ir/text/reader.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc::ir {

void TimedFacet::print(TextWriter& out, const FacetOwner& owner) const {
  out.line() << "run iterations " << run.iterations << " events " << run.deviceEvents << " busy ";
  out.numbers(run.busyNs);
  if (run.wallNs) (out << " wall ").numbers(*run.wallNs);
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
    if (in.accept("wall")) run.wallNs = in.durationsNs();
    if (in.accept("window")) run.windowNs = in.durationsNs();
    in.expect("device");
    run.deviceNs = in.durationNs();
    in.expect("bound");
    run.boundNs = in.durationNs();
    in.expect("unbound");
    run.unboundNs = in.durationNs();
  } else if (in.accept("kernel")) {
    in.ordinal("a kernel's id", "kernel", kernels.size());
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
  const std::vector<IterationTimes> selected = selectedIterationTimes(*owner.timeline);
  run.iterations = static_cast<int64_t>(selected.size());
  for (const IterationTimes& times : selected) {
    run.deviceEvents += times.events;
    run.deviceNs += times.deviceNs;
    run.busyNs.push_back(times.busyNs);
  }
  run.wallNs = wallsOf(selected);
  run.windowNs = windowsOf(selected);
  for (const KernelBinding& kernel : owner.cover.facets.get<BoundFacet>()->kernels)
    for (const BoundEvent& bound : kernel.events) run.boundNs += owner.timeline->durationNs[bound.event];
  run.unboundNs = run.deviceNs - run.boundNs;
  return run;
}

/// The times of the kernels, computed from the events of the facet `bound`. The unions are computed in another way than
/// by the analysis that the pass `timing` stores, so that the check finds errors of either.
IdVector<KernelId, KernelTime> kernelTimes(const FacetOwner& owner, const RunTimes& run) {
  const Timeline& timeline = *owner.timeline;
  const auto& bindings = owner.cover.facets.get<BoundFacet>()->kernels;
  constexpr int64_t kNoSlot = -1;
  std::vector<int64_t> slotOf(timeline.iterations.size(), kNoSlot);
  std::vector<std::vector<EventIndex>> selected;
  for (size_t i = 0; i < slotOf.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    slotOf[i] = static_cast<int64_t>(selected.size());
    selected.emplace_back();
  }
  const auto intervalOf = [&](EventIndex event) {
    return TimeInterval{timeline.startNs[event], timeline.endNs(event)};
  };
  const auto slot = [&](EventIndex event) {
    return static_cast<size_t>(slotOf[static_cast<size_t>(timeline.iteration[event])]);
  };
  for (const EventIndex event : timeline.selectedEvents()) selected[slot(event)].push_back(event);

  IdVector<KernelId, KernelTime> times(bindings.size());
  std::vector<KernelId> ownerOf(timeline.size(), KernelId(kNone));
  for (const KernelId kernel : bindings.ids()) {
    KernelTime& time = times[kernel];
    time.perIterationNs.assign(selected.size(), 0);
    std::map<size_t, std::vector<TimeInterval>> intervals;
    for (const BoundEvent& bound : bindings[kernel].events) {
      intervals[slot(bound.event)].push_back(intervalOf(bound.event));
      ownerOf[bound.event] = kernel;
    }
    for (auto& [iteration, own] : intervals) time.perIterationNs[iteration] = unionLength(std::move(own));
    time.totalNs = sum(time.perIterationNs);
    time.busyWithoutNs = sum(run.busyNs);
  }
  // A segment of a single owner is busy time only because of that owner. Unbound events have the owner kNone.
  for (const std::vector<EventIndex>& events : selected) {
    std::vector<TimeInterval> intervals;
    for (const EventIndex event : events) intervals.push_back(intervalOf(event));
    std::map<KernelId, size_t> active;
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t index, int64_t) { ++active[ownerOf[events[index]]]; };
    visitor.ends = [&](uint32_t index, int64_t) {
      const auto entry = active.find(ownerOf[events[index]]);
      if (--entry->second == 0) active.erase(entry);
    };
    visitor.segment = [&](int64_t lengthNs) {
      if (active.size() == 1 && active.begin()->first != kNone) times[active.begin()->first].busyWithoutNs -= lengthNs;
    };
    sweep(intervals, visitor);
  }
  return times;
}

}  // namespace

void TimedFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  reporter.rows(kFacet, kernels.size());
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
  if (run.wallNs.has_value() != measured.wallNs.has_value())
    reporter.cover(run.wallNs ? "a wall time, but no starts in the trace" : "no wall time, but starts in the trace");
  else if (run.wallNs)
    agreeEach("wall time in ns:", *run.wallNs, *measured.wallNs);
  if (run.windowNs.has_value() != measured.windowNs.has_value())
    reporter.cover(run.windowNs ? "a window, but none in the trace" : "no window, but one in the trace");
  else if (run.windowNs)
    agreeEach("window in ns:", *run.windowNs, *measured.windowNs);
  agree("device time in ns:", run.deviceNs, measured.deviceNs);
  agree("bound time in ns:", run.boundNs, measured.boundNs);
  agree("unbound time in ns:", run.unboundNs, measured.unboundNs);

  const IdVector<KernelId, KernelTime> measuredKernels = kernelTimes(owner, measured);
  for (const KernelId id : kernels.ids()) {
    if (!measuredKernels.contains(id)) break;  // Another number of kernels is reported above.
    const KernelTime& time = kernels[id];
    const KernelTime& said = measuredKernels[id];
    if (time.perIterationNs.size() != iterations) {
      reporter.kernel(id,
                      "times of " + number(time.perIterationNs.size()) + " iterations, not of " + number(iterations));
      continue;
    }
    if (time.perIterationNs != said.perIterationNs)
      reporter.kernel(id, fmt::format("time in ns [{}], but [{}] by its events", fmt::join(time.perIterationNs, ", "),
                                      fmt::join(said.perIterationNs, ", ")));
    if (time.totalNs != said.totalNs)
      reporter.kernel(id, fmt::format("total is not the sum over the iterations: {} ns, but {} ns by its events",
                                      time.totalNs, said.totalNs));
    if (time.busyWithoutNs != said.busyWithoutNs)
      reporter.kernel(id, fmt::format("busy time without it is {} ns, but {} ns by the events", time.busyWithoutNs,
                                      said.busyWithoutNs));
  }
}

}  // namespace amdahlc::ir
