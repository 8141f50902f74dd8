// Work of the host that launches nothing and waits for nothing, such as the preparation of input: another thread could
// do it beside the rest.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/breakdown.h"
#include "replay/timeline/interval.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kMostNames = 3;
/// Of wall time, or of the window: less is not worth a thread.
constexpr double kLeastOfWall = 0.03;

/// By host event: whether it launches or waits, or something inside it does.
IdVector<HostEventId, bool> eventsWithCalls(const schedule::RunCalls& calls) {
  const HostFacts& host = calls.host();
  IdVector<HostEventId, bool> found(host.size(), false);
  for (const schedule::Call& call : calls.calls())
    for (HostEventId event = call.event; !event.isNone() && !found[event]; event = host.parent[event])
      found[event] = true;
  return found;
}

bool isFrame(EventKind kind) { return kind == EventKind::Frame || kind == EventKind::ModuleFrame; }

}  // namespace

namespace {

/// By host event of a run of one thread: whether it computes, or something inside it does. What loads input does not
/// count, whatever it computes.
IdVector<HostEventId, bool> eventsWithWork(const Timeline& timeline, const IdVector<HostEventId, bool>& isLoading) {
  const HostFacts& host = *timeline.host;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  SymbolMemo<bool> works(timeline.strings);
  IdVector<HostEventId, bool> found(host.size(), false);
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator || !works.of(host.name[event], [&](std::string_view name) {
          return runtime.role(name, true) == OperatorRole::Work;
        }))
      continue;
    bool isInput = false;
    for (HostEventId at = event; !at.isNone() && !isInput; at = host.parent[at]) isInput = isLoading[at];
    for (HostEventId at = event; !isInput && !at.isNone() && !found[at]; at = host.parent[at]) found[at] = true;
  }
  return found;
}

/// Of a run that is not replayed, and of which several threads do the work: how much of an iteration loads input is all
/// that is known.
void noteLoading(AdvisedRun& run) {
  if (!run.timeline.host) return;
  const HostFacts& host = *run.timeline.host;
  DataLoadingSpans loading(run.timeline);
  const RuntimeAdapter& runtime = runtimeAdapter(run.timeline.target.runtime);
  std::vector<TimeInterval> spans;
  for (const HostEventId event : host.kind.ids())
    if (run.reported.has(host.iteration[event]) &&
        (loading.isSpan(event) ||
         (isFrame(host.kind[event]) && runtime.isLoadingFrame(run.timeline.text(host.name[event])))))
      spans.push_back(host.interval(event));
  const double share = shareOf(unionLength(std::move(spans)), run.longerNs());
  if (share >= kLeastOfWall)
    run.notes.push_back(fmt::format("{} of {} loads input, which could be done beside it: {}", formatPercent(share),
                                    run.longerName(), run.remedy(Remedy::LoadAhead)));
}

}  // namespace

void findHostWork(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const schedule::RunModel* model = run.predicted().model;
  if (!run.timed.run.wallNs) return;
  const bool isOneThread = run.predicted().oneThread != nullptr;
  if (model == nullptr && !isOneThread) return noteLoading(run);
  const HostFacts& host = *run.timeline.host;
  DataLoadingSpans loading(run.timeline);
  const RuntimeAdapter& runtime = runtimeAdapter(run.timeline.target.runtime);
  IdVector<HostEventId, bool> loads(host.size(), false);
  for (const HostEventId event : host.kind.ids())
    loads[event] = loading.isSpan(event) ||
                   (isFrame(host.kind[event]) && runtime.isLoadingFrame(run.timeline.text(host.name[event])));
  // What stays on the thread: calls of the device, or operators.
  const IdVector<HostEventId, bool> hasCalls =
      isOneThread ? eventsWithWork(run.timeline, loads) : eventsWithCalls(model->calls);
  struct Work {
    int64_t ns = 0, loadingNs = 0;
    /// Most of it loads input.
    bool isLoading() const { return 2 * loadingNs > ns; }
  };
  std::map<std::string_view, Work> byName;
  // By name: a change of a name is one of all that has it.
  std::vector<bool> withCalls(run.timeline.strings.size(), false);
  for (const HostEventId event : host.kind.ids())
    if (hasCalls[event]) withCalls[host.name[event].index] = true;
  // By host event without calls: the outermost one around it; and when the last loading of input ends on its thread.
  IdVector<HostEventId, HostEventId> outermost(host.size());
  std::vector<int64_t> loadedNs(run.timeline.tracks.size(), std::numeric_limits<int64_t>::min());
  for (const HostEventId event : host.kind.ids()) {
    if (hasCalls[event]) continue;
    const bool isLoading = loads[event];
    const HostEventId parent = host.parent[event];
    const bool isInside = !parent.isNone() && !hasCalls[parent];
    outermost[event] = isInside ? outermost[parent] : isLoading || isFrame(host.kind[event]) ? event : HostEventId();
    if (outermost[event].isNone() || (!isOneThread && model->calls.threadOf(event) == schedule::kNoTrack) ||
        !run.reported.has(host.iteration[event]))
      continue;
    const Symbol outer = host.name[outermost[event]];
    if (withCalls[outer.index]) continue;
    Work& work = byName[run.timeline.text(outer)];
    if (outermost[event] == event) work.ns += host.durationNs[event];
    int64_t& endNs = loadedNs[host.track[event]];
    if (!isLoading || host.startNs[event] < endNs) continue;
    work.loadingNs += host.durationNs[event];
    endNs = host.endNs(event);
  }
  const int64_t longerNs = run.longerNs();
  std::vector<std::pair<int64_t, std::string_view>> longest;
  for (const auto& [name, work] : byName) {
    // On one thread what is not recorded is in the function around it, and the recorder has functions, too.
    if (isOneThread && !work.isLoading() && runtime.isLibraryFrame(name)) continue;
    if (shareOf(work.ns, longerNs) >= kLeastOfWall && !runtime.isMadeCode(name)) longest.emplace_back(-work.ns, name);
  }
  std::ranges::sort(longest);
  if (longest.size() > kMostNames) longest.resize(kMostNames);
  for (const auto& [negativeNs, name] : longest) {
    AdviceCandidate candidate;
    ir::Change change = withoutTime(ir::SelectorKind::HostOperator, name);
    candidate.selector = whatIfText(change);
    candidate.change = byName.at(name).isLoading()
                           ? fmt::format("load input beside the iterations: {}", run.remedy(Remedy::LoadAhead))
                           : fmt::format("do the work of `{}` once, ahead, or in another thread", printable(name));
    candidate.why = fmt::format("{} of {} on the thread that {}", formatPercent(shareOf(-negativeNs, longerNs)),
                                run.longerName(), isOneThread ? "runs the operators" : "launches, without a launch");
    candidate.assumption = "nothing that is launched meanwhile needs its results";
    if (isOneThread) {
      candidate.assumption = "nothing that runs meanwhile needs its results, and there is a processor for it";
      // The recorder's own time between operators makes the rest of the run longer than it is without it.
      candidate.atMost = {change, withoutTime(ir::SelectorKind::Host)};
    }
    candidate.likely.push_back(std::move(change));
    candidates.push_back(std::move(candidate));
  }
}

}  // namespace amdahlc
