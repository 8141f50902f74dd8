// Work of the host that launches nothing and waits for nothing, such as the preparation of input: another thread could
// do it beside the rest.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

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

/// Of a run that is not replayed, such as one without a device: how much of an iteration loads input is all that is
/// known.
void noteLoading(AdvisedRun& run) {
  if (!run.timeline.host) return;
  const HostFacts& host = *run.timeline.host;
  const ReportedIterations reported(run.timeline);
  DataLoadingSpans loading(run.timeline);
  const RuntimeAdapter& runtime = runtimeAdapter(run.timeline.target.runtime);
  std::vector<TimeInterval> spans;
  for (const HostEventId event : host.kind.ids())
    if (reported.has(host.iteration[event]) &&
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
  if (model == nullptr) return noteLoading(run);
  const HostFacts& host = model->calls.host();
  const IdVector<HostEventId, bool> hasCalls = eventsWithCalls(model->calls);
  const ReportedIterations reported(run.timeline);
  DataLoadingSpans loading(run.timeline);
  const RuntimeAdapter& runtime = runtimeAdapter(run.timeline.target.runtime);
  struct Work {
    int64_t ns = 0, loadingNs = 0;
    /// Most of it loads input.
    bool isLoading() const { return 2 * loadingNs > ns; }
  };
  std::map<std::string_view, Work> byName;
  // A change of a name is one of all that has it.
  std::set<std::string_view> withCalls;
  for (const HostEventId event : host.kind.ids())
    if (hasCalls[event]) withCalls.insert(run.timeline.text(host.name[event]));
  // By host event without calls: the outermost one around it; and when the last loading of input ends on its thread.
  IdVector<HostEventId, HostEventId> outermost(host.size());
  std::vector<int64_t> loadedNs(run.timeline.tracks.size(), std::numeric_limits<int64_t>::min());
  for (const HostEventId event : host.kind.ids()) {
    if (hasCalls[event]) continue;
    const std::string_view name = run.timeline.text(host.name[event]);
    const bool isLoading = loading.isSpan(event) || (isFrame(host.kind[event]) && runtime.isLoadingFrame(name));
    const HostEventId parent = host.parent[event];
    const bool isInside = !parent.isNone() && !hasCalls[parent];
    outermost[event] = isInside ? outermost[parent] : isLoading || isFrame(host.kind[event]) ? event : HostEventId();
    if (outermost[event].isNone() || model->calls.threadOf(event) == schedule::kNoTrack ||
        !reported.has(host.iteration[event]))
      continue;
    const std::string_view outer = run.timeline.text(host.name[outermost[event]]);
    if (withCalls.contains(outer)) continue;
    Work& work = byName[outer];
    if (outermost[event] == event) work.ns += host.durationNs[event];
    int64_t& endNs = loadedNs[host.track[event]];
    if (!isLoading || host.startNs[event] < endNs) continue;
    work.loadingNs += host.durationNs[event];
    endNs = host.endNs(event);
  }
  const int64_t longerNs = run.longerNs();
  std::vector<std::pair<int64_t, std::string_view>> longest;
  for (const auto& [name, work] : byName)
    // Nobody can move what `<string>` and `<frozen ...>` name: code that the language makes.
    if (shareOf(work.ns, longerNs) >= kLeastOfWall && (!name.starts_with('<') || name.starts_with("<built-in")))
      longest.emplace_back(-work.ns, name);
  std::ranges::sort(longest);
  if (longest.size() > kMostNames) longest.resize(kMostNames);
  for (const auto& [negativeNs, name] : longest) {
    AdviceCandidate candidate;
    ir::Change change = withoutTime(ir::SelectorKind::HostOperator, name);
    candidate.selector = whatIfText(change);
    candidate.change = byName.at(name).isLoading()
                           ? fmt::format("load input beside the iterations: {}", run.remedy(Remedy::LoadAhead))
                           : fmt::format("do the work of `{}` once, ahead, or in another thread", printable(name));
    candidate.why = fmt::format("{} of {} on the thread that launches, without a launch",
                                formatPercent(shareOf(-negativeNs, longerNs)), run.longerName());
    candidate.assumption = "nothing that is launched meanwhile needs its results";
    candidate.likely.push_back(std::move(change));
    candidates.push_back(std::move(candidate));
  }
}

}  // namespace amdahlc
