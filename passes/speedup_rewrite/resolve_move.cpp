// Data dependencies of work that moves are those of the kernel graph. An event without a kernel keeps its order to all
// others of its stream.

#include <fmt/format.h>

#include <utility>

#include "passes/speedup_rewrite/scenario_resolution.h"
#include "passes/timing/timing_analysis.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

/// A run with the kernels of its events.
struct OwnedRun {
  const schedule::RunModel& model;
  const ir::KernelGraph& graph;
  /// By event; kUnboundOwner also for events that are not selected.
  const std::vector<ir::KernelId>& owners;
};

/// Steps of all searches for what kernels need together. Beyond them a kernel counts as one whose needs are not known:
/// where most kernels have no events, all searches together are quadratic.
constexpr int64_t kNeedSteps = 50'000'000;

class Needs {
 public:
  Needs(const OwnedRun& run, const std::vector<ir::KernelId>& moved)
      : run_(run), isMoved_(run.graph.size(), false), hasEvents_(run.graph.size(), false), seen_(run.graph.size(), 0) {
    for (const ir::KernelId kernel : moved) isMoved_[kernel] = true;
    for (const ir::KernelId owner : run.owners)
      if (owner != kUnboundOwner) hasEvents_[owner] = true;
  }

  schedule::MovedEvents find() {
    const Timeline& timeline = run_.model.calls.timeline();
    schedule::MovedEvents moved{schedule::EventSet(timeline.size()), {}, schedule::EventSet(timeline.size())};
    // The last event of each kernel so far, with its iteration.
    IdVector<ir::KernelId, std::pair<int32_t, EventIndex>> last(run_.graph.size(), {kNoIteration, kNoEvent});
    for (const schedule::Call& call : run_.model.calls.calls())
      for (const EventIndex event : run_.model.calls.launched(call)) {
        const ir::KernelId kernel = run_.owners[event];
        const int32_t iteration = timeline.iteration[event];
        if (kernel == kUnboundOwner || !isKnown(kernel)) {
          moved.unknown[event] = true;
          continue;
        }
        moved.events[event] = isMoved_[kernel];
        for (const ir::KernelId need : needs_[kernel])
          if (last[need].first == iteration) moved.needs[event].push_back(last[need].second);
        last[kernel] = {iteration, event};
      }
    return moved;
  }

 private:
  /// Finds the nearest kernels with events from which a kernel gets data. False if the search is over.
  bool isKnown(ir::KernelId kernel) {
    if (isDone_.empty()) {
      isDone_.resize(run_.graph.size(), false);
      isKnown_.resize(run_.graph.size(), false);
      needs_.resize(run_.graph.size());
    }
    if (isDone_[kernel]) return isKnown_[kernel] && steps_ < kNeedSteps;
    isDone_[kernel] = true;
    // Data goes into a body and out of it, and from trip to trip: the graph does not say which event needs which.
    isKnown_[kernel] = isOutsideOfBodies(kernel);
    ++search_;
    std::vector<ir::KernelId> open{kernel};
    while (!open.empty() && steps_ < kNeedSteps) {
      const ir::KernelId at = open.back();
      open.pop_back();
      for (const ir::KernelId before : run_.graph.predecessors(at)) {
        ++steps_;
        if (seen_[before] == search_) continue;
        seen_[before] = search_;
        if (!run_.graph.bodyKernels(before).empty()) isKnown_[kernel] = false;
        if (hasEvents_[before])
          needs_[kernel].push_back(before);
        else
          open.push_back(before);
      }
    }
    return isKnown_[kernel] && steps_ < kNeedSteps;
  }

  bool isOutsideOfBodies(ir::KernelId kernel) const {
    return run_.graph.graphOf(kernel) == ir::kMainGraph && run_.graph.bodyKernels(kernel).empty();
  }

  const OwnedRun& run_;
  IdVector<ir::KernelId, bool> isMoved_, hasEvents_, isDone_, isKnown_;
  IdVector<ir::KernelId, uint32_t> seen_;
  IdVector<ir::KernelId, std::vector<ir::KernelId>> needs_;
  uint32_t search_ = 0;
  int64_t steps_ = 0;
};

bool move(const ir::Change& change, ScenarioResolution& scenario) {
  const auto selected = scenario.select(change, change.selectors);
  if (!selected) return false;
  bool any = false;
  size_t inBodies = 0;
  for (size_t i = 0; i < scenario.runs(); ++i) {
    const PredictedRun& run = scenario.run(i);
    for (const ir::KernelId kernel : (*selected)[i]) inBodies += run.graph.graphOf(kernel) != ir::kMainGraph;
    if (run.model == nullptr) continue;
    schedule::Changes& changes = scenario.changed(i).other();
    const schedule::StreamIndex stream =
        change.stream ? run.model->calls.findStream(*change.stream) : schedule::newStream(run.model->calls, changes);
    if (stream == schedule::kNoTrack) continue;
    any = true;
    schedule::moveEvents(*run.model, Needs({*run.model, run.graph, scenario.owners(i)}, (*selected)[i]).find(), stream,
                         changes);
  }
  if (!any) return scenario.fail(change, fmt::format("no run has a stream {}", *change.stream));
  if (inBodies > 0)
    scenario.warn(DiagId::ChangeDeclined, change,
                  fmt::format("leaves {} in bodies of loops and branches where they are", plural(inBodies, "kernel")));
  return true;
}

}  // namespace

bool resolveMove(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  bool ok = true;
  for (const ir::Change* change : changes) ok &= move(*change, scenario);
  return ok;
}

}  // namespace amdahlc
