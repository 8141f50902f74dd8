// Work of the host that launches nothing and waits for nothing, such as the preparation of input: another thread could
// do it beside the rest.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/breakdown.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kMostNames = 3;
/// Of wall time: less is not worth a thread.
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

void findHostWork(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const schedule::RunModel* model = run.predicted().model;
  if (model == nullptr || !run.timed.run.wallNs) return;
  const HostFacts& host = model->calls.host();
  const IdVector<HostEventId, bool> hasCalls = eventsWithCalls(model->calls);
  const ReportedIterations reported(run.timeline);
  DataLoadingSpans loading(run.timeline);
  struct Work {
    int64_t ns = 0;
    bool isLoading = false;
  };
  std::map<std::string_view, Work> byName;
  // A change of a name is one of all that has it.
  std::set<std::string_view> withCalls;
  for (const HostEventId event : host.kind.ids())
    if (hasCalls[event]) withCalls.insert(run.timeline.text(host.name[event]));
  for (const HostEventId event : host.kind.ids()) {
    const bool isLoading = loading.isSpan(event);
    const HostEventId parent = host.parent[event];
    if (hasCalls[event] || (!parent.isNone() && !hasCalls[parent]) || !(isLoading || isFrame(host.kind[event])) ||
        model->calls.threadOf(event) == schedule::kNoTrack || !reported.has(host.iteration[event]))
      continue;
    const std::string_view name = run.timeline.text(host.name[event]);
    if (withCalls.contains(name)) continue;
    Work& work = byName[name];
    work.ns += host.durationNs[event];
    work.isLoading |= isLoading;
  }
  const int64_t wallNs = run.timed.run.reported(*run.timed.run.wallNs);
  std::vector<std::pair<int64_t, std::string_view>> longest;
  for (const auto& [name, work] : byName)
    if (shareOf(work.ns, wallNs) >= kLeastOfWall) longest.emplace_back(-work.ns, name);
  std::ranges::sort(longest);
  if (longest.size() > kMostNames) longest.resize(kMostNames);
  for (const auto& [negativeNs, name] : longest) {
    AdviceCandidate candidate;
    ir::Change change;
    change.selectors.push_back({ir::SelectorKind::HostOperator, std::string(name)});
    change.factor = Rational::of(0);
    candidate.selector = ir::describe(change);
    candidate.change = byName.at(name).isLoading
                           ? fmt::format("load input beside the iterations: {}", run.remedy(Remedy::LoadAhead))
                           : fmt::format("do the work of `{}` once, ahead, or in another thread", printable(name));
    candidate.why = fmt::format("{} of wall time on the thread that launches, without a launch",
                                formatPercent(shareOf(-negativeNs, wallNs)));
    candidate.assumption = "nothing that is launched meanwhile needs its results";
    candidate.likely.push_back(std::move(change));
    candidates.push_back(std::move(candidate));
  }
}

}  // namespace amdahlc
