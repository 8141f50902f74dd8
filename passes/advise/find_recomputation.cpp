// Results of the forward pass that the backward pass computes again, so that the memory of the device need not hold
// them: where it could, they are kept.

#include <fmt/format.h>

#include <span>

#include "ir/facets/bound.h"
#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/totals.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// By host event: whether it runs inside of what computes again, and not in a step of the backward pass in that.
IdVector<HostEventId, bool> eventsOfRecomputation(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  SymbolMemo<bool> recomputes(timeline.strings), isStep(timeline.strings);
  IdVector<HostEventId, bool> found(host.size(), false);
  // An event stands behind those around it.
  for (const HostEventId event : host.kind.ids()) {
    const Symbol name = host.name[event];
    if (recomputes.of(name, [&](std::string_view text) { return runtime.isRecomputation(text); })) {
      found[event] = true;
      continue;
    }
    const HostEventId parent = host.parent[event];
    found[event] = !parent.isNone() && found[parent] &&
                   !isStep.of(name, [&](std::string_view text) { return runtime.phase(text) == Phase::Backward; });
  }
  return found;
}

/// Of a run of one thread: the time before operators that run again, in which the thread goes to them.
std::vector<schedule::HostStretch> timeBefore(const AdvisedRun& run, const IdVector<HostEventId, bool>& again) {
  const EventsByIteration iterations = eventsByIteration(run.timeline);
  std::vector<schedule::HostStretch> stretches;
  for (const schedule::TimeBetween& one : run.timeBetween()) {
    const std::span<const EventIndex> events = iterations[static_cast<size_t>(one.iteration)];
    if (one.place >= events.size()) continue;
    const HostEventId op = run.timeline.host->launchOp[events[one.place]];
    if (!op.isNone() && again[op]) stretches.push_back({0, one.interval.startNs, one.interval.endNs, Rational::of(0)});
  }
  return stretches;
}

}  // namespace

void findRecomputation(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const Timeline& timeline = run.timeline;
  const std::string_view remedy = run.remedy(Remedy::KeepResults);
  if (!timeline.host || run.predicted().phases == nullptr || remedy.empty()) return;
  const HostFacts& host = *timeline.host;
  const std::span<const Phase> phases = run.predicted().phases->ofEvents();
  if (phases.empty()) return;
  const IdVector<HostEventId, bool> again = eventsOfRecomputation(timeline);
  const std::vector<ir::KernelId> owners = ir::eventOwners(timeline, *run.cover.facets.get<ir::BoundFacet>());
  enum class Seen : uint8_t { Never, Again, Else };
  IdVector<ir::KernelId, Seen> seen(run.cover.kernels.size(), Seen::Never);
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (owners[event] == kUnboundOwner || !run.reported.has(timeline.iteration[event])) continue;
    const HostEventId call = host.launch[event].isNone() ? host.launchOp[event] : host.launch[event];
    const bool isAgain = phases[event] == Phase::Backward && !call.isNone() && again[call];
    if (seen[owners[event]] != Seen::Else) seen[owners[event]] = isAgain ? Seen::Again : Seen::Else;
  }
  std::vector<ir::Selector> selectors;
  std::vector<ir::KernelId> kernels;
  int64_t ns = 0;
  for (const ir::KernelId kernel : seen.ids()) {
    if (seen[kernel] != Seen::Again || run.timeOf(kernel) == 0) continue;
    kernels.push_back(kernel);
    selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
    ns += run.timeOf(kernel);
  }
  if (run.partOfBusy(ns) < kLeastShare) return;
  AdviceCandidate candidate =
      changeOfProgram(run, ir::ChangeKind::Remove, std::move(selectors),
                      fmt::format("keep results of the forward pass for the backward pass: {}", remedy),
                      fmt::format("{} of busy time computes the forward pass again in the backward pass",
                                  formatPercent(run.partOfBusy(ns))));
  candidate.assumption = "memory has room for what is kept";
  if (const auto part = run.memoryInUse())
    candidate.assumption += fmt::format(", of which {} is in use at most now", formatPercent(*part));
  candidate.places = run.placesOf(kernels);
  if (run.predicted().oneThread == nullptr)
    candidate.idleNs = run.idleBehind(kernels);
  else
    candidate.pausesAtMost = timeBefore(run, again);
  candidate.kernels = std::move(kernels);
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
