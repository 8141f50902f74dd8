#include "ir/facets/timed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "ir/facets/bound.h"
#include "ir/invariants.h"
#include "ir/text/printers.h"
#include "ir/text/reader.h"
#include "replay/timeline/group_times.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc::ir {

void TimedFacet::print(TextWriter& out, const FacetOwner& owner) const {
  out.line() << "run iterations " << run.iterations;
  if (run.representative) out << " representative " << *run.representative;
  out << " events " << run.deviceEvents << " busy ";
  out.numbers(run.busyNs);
  if (run.wallNs) (out << " wall ").numbers(*run.wallNs);
  if (run.windowNs) (out << " window ").numbers(*run.windowNs);
  (out << " device ").numbers(run.deviceNs);
  (out << " bound ").numbers(run.boundNs);
  out << " undisturbed " << run.undisturbedNs;
  for (const KernelId id : kernels.ids()) {
    const KernelTime& time = kernels[id];
    (out.line() << "kernel " << id << ' ').numbers(time.perIterationNs)
        << " reported " << time.reportedNs << " busy-without " << time.busyWithoutNs;
    printLabel(out, owner, id);
  }
}

void TimedFacet::parseStatement(TextReader& in, const FacetOwner&) {
  if (in.accept("run")) {
    in.expect("iterations");
    run.iterations = in.nonNegative("a number of iterations");
    if (in.accept("representative")) run.representative = in.nonNegative("the place of an iteration");
    in.expect("events");
    run.deviceEvents = in.nonNegative("a number of events");
    in.expect("busy");
    run.busyNs = in.durationsNs();
    if (in.accept("wall")) run.wallNs = in.durationsNs();
    if (in.accept("window")) run.windowNs = in.durationsNs();
    in.expect("device");
    run.deviceNs = in.durationsNs();
    in.expect("bound");
    run.boundNs = in.durationsNs();
    in.expect("undisturbed");
    run.undisturbedNs = in.durationNs();
  } else if (in.accept("kernel")) {
    in.ordinal("a kernel's id", "kernel", kernels.size());
    KernelTime time;
    time.perIterationNs = in.durationsNs();
    in.expect("reported");
    time.reportedNs = in.durationNs();
    in.expect("busy-without");
    time.busyWithoutNs = in.durationNs();
    kernels.push_back(std::move(time));
  } else {
    in.failExpected({"run", "kernel"});
  }
}

namespace {

/// The times of the selected iterations, computed from the timeline and the facet `bound`; without the undisturbed one.
RunTimes runTimes(const FacetOwner& owner, const ReportedIterations& reported) {
  RunTimes run;
  const std::vector<IterationTimes> selected = selectedIterationTimes(*owner.timeline);
  run.iterations = static_cast<int64_t>(selected.size());
  run.representative = reported.place();
  for (const IterationTimes& times : selected) {
    run.deviceEvents += times.events;
    run.deviceNs.push_back(times.deviceNs);
    run.busyNs.push_back(times.busyNs);
  }
  run.wallNs = wallsOf(selected);
  run.windowNs = windowsOf(selected);
  std::vector<int64_t> boundNs(owner.timeline->iterations.size(), 0);
  for (const KernelBinding& kernel : owner.cover.facets.get<BoundFacet>()->kernels)
    for (const BoundEvent& bound : kernel.events)
      if (owner.timeline->isSelected(bound.event))
        boundNs[static_cast<size_t>(owner.timeline->iteration[bound.event])] += owner.timeline->durationNs[bound.event];
  run.boundNs = ofSelected(*owner.timeline, boundNs);
  return run;
}

}  // namespace

std::vector<Rational> undisturbedFactors(const Timeline& timeline, const BoundFacet& facts) {
  const std::vector<KernelId> owners = eventOwners(timeline, facts);
  std::vector<uint32_t> keys = namesAndPlaces(timeline, [&](EventIndex event) { return owners[event].isNone(); });
  for (EventIndex event = 0; event < timeline.size(); ++event)
    keys[event] =
        owners[event].isNone() ? keys[event] + static_cast<uint32_t>(facts.kernels.size()) : owners[event].index();
  return amdahlc::undisturbedFactors(timeline, keys);
}

TimedFacet TimedFacet::byEvents(const FacetOwner& owner, std::span<const Rational> undisturbed) {
  const BoundFacet& facts = *owner.cover.facets.get<BoundFacet>();
  const ReportedIterations reported(*owner.timeline);
  TimedFacet times{runTimes(owner, reported), IdVector<KernelId, KernelTime>(facts.kernels.size())};
  const std::vector<KernelId> owners = eventOwners(*owner.timeline, facts);
  std::vector<uint32_t> indices(owners.size());
  std::ranges::transform(owners, indices.begin(), &KernelId::index);
  const auto kernelOf = [&](EventIndex event) {
    return std::span<const uint32_t>(&indices[event], owners[event].isNone() ? 0 : 1);
  };
  GroupTimes found = groupTimes(*owner.timeline, reported, facts.kernels.size(), kernelOf, undisturbed);
  times.run.undisturbedNs = found.busyNs;
  for (const KernelId id : times.kernels.ids()) {
    GroupTime& group = found.groups[id.index()];
    const int64_t reportedNs = times.run.ofRow(group.perIterationNs);
    times.kernels[id] = {std::move(group.perIterationNs), reportedNs, group.busyWithoutNs};
  }
  return times;
}

void TimedFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  reporter.rows(kFacet, kernels.size());
  const TimedFacet byEvent =
      byEvents(owner, undisturbedFactors(*owner.timeline, *owner.cover.facets.get<BoundFacet>()));
  const RunTimes& measured = byEvent.run;
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
  agreeEach("device time in ns:", run.deviceNs, measured.deviceNs);
  agreeEach("bound time in ns:", run.boundNs, measured.boundNs);
  agree("undisturbed busy time in ns:", run.undisturbedNs, measured.undisturbedNs);
  if (run.representative != measured.representative)
    reporter.cover(fmt::format("the representative iteration is {}, but {} in the trace",
                               run.representative ? number(*run.representative) : "none",
                               measured.representative ? number(*measured.representative) : "none"));

  for (const KernelId id : kernels.ids()) {
    if (!byEvent.kernels.contains(id)) break;  // Another number of kernels is reported above.
    const KernelTime& time = kernels[id];
    const KernelTime& said = byEvent.kernels[id];
    if (time.perIterationNs.size() != iterations) {
      reporter.kernel(id,
                      "times of " + number(time.perIterationNs.size()) + " iterations, not of " + number(iterations));
      continue;
    }
    if (time.perIterationNs != said.perIterationNs)
      reporter.kernel(id, fmt::format("time in ns [{}], but [{}] by its events", fmt::join(time.perIterationNs, ", "),
                                      fmt::join(said.perIterationNs, ", ")));
    if (time.reportedNs != said.reportedNs)
      reporter.kernel(id,
                      fmt::format("reported time is {} ns, but {} ns by its events", time.reportedNs, said.reportedNs));
    if (time.busyWithoutNs != said.busyWithoutNs)
      reporter.kernel(id, fmt::format("busy time without it is {} ns, but {} ns by the events", time.busyWithoutNs,
                                      said.busyWithoutNs));
  }
}

}  // namespace amdahlc::ir
