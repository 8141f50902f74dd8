// Compilation while iterations are measured: code that is compiled or loaded, and kernels that are tried.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "passes/advise/advice_analysis.h"
#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/runtimes/device_calls.h"
#include "replay/schedule/scaled_time.h"
#include "replay/timeline/interval.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"
#include "support/string_pool.h"

namespace amdahlc {
namespace {

constexpr size_t kMostCompilations = 3;

/// Stretches of the host in which something is compiled or loaded, the outermost on each thread.
struct Compilation {
  /// By iteration, of all threads together: what several compile at once counts once.
  std::vector<int64_t> ns;
  int64_t reportedNs = 0;
  /// Of the reported iterations, by name.
  std::map<std::string_view, int64_t> names = {};
};

Compilation compilationOf(const AdvisedRun& run) {
  const Timeline& timeline = run.timeline;
  const HostFacts& host = *timeline.host;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  SymbolMemo<bool> compiles(timeline.strings);
  Compilation found{std::vector<int64_t>(timeline.iterations.size())};
  std::vector<std::vector<TimeInterval>> stretches(timeline.iterations.size());
  std::vector<int64_t> endNs(timeline.tracks.size(), std::numeric_limits<int64_t>::min());
  for (const HostEventId event : host.kind.ids()) {
    const EventKind kind = host.kind[event];
    if (host.iteration[event] == kNoIteration || host.startNs[event] < endNs[host.track[event]]) continue;
    if (kind == EventKind::Synchronization || kind == EventKind::DeviceAnnotation) continue;
    if (!compiles.of(host.name[event],
                     [&](std::string_view name) { return loadsCode(name) || runtime.isCompilation(name); }))
      continue;
    endNs[host.track[event]] = host.endNs(event);
    stretches[static_cast<size_t>(host.iteration[event])].push_back({host.startNs[event], host.endNs(event)});
    if (run.reported.has(host.iteration[event])) found.names[timeline.text(host.name[event])] += host.durationNs[event];
  }
  for (size_t i = 0; i < stretches.size(); ++i) {
    found.ns[i] = unionLength(std::move(stretches[i]));
    if (run.reported.has(static_cast<int32_t>(i))) found.reportedNs += found.ns[i];
  }
  return found;
}

/// Selected iterations that compile and are not reported, so that no figure shows it.
void noteOthers(AdvisedRun& run, const Compilation& found) {
  size_t longest = 0;
  int64_t iterations = 0;
  for (size_t i = 0; i < found.ns.size(); ++i) {
    if (!run.timeline.iterations[i].selected() || run.reported.has(static_cast<int32_t>(i)) ||
        shareOf(found.ns[i] * run.reported.count(), run.longerNs()) < kLeastSaving)
      continue;
    if (++iterations == 1 || found.ns[i] > found.ns[longest]) longest = i;
  }
  if (iterations > 0)
    run.notes.push_back(fmt::format("code is compiled or loaded in {} beside what is reported, in `{}` for {} us: {}",
                                    plural(iterations, "selected iteration"),
                                    printable(run.timeline.iterationName(longest)), formatUs(found.ns[longest]),
                                    run.remedy(Remedy::CompileOnce)));
}

}  // namespace

void findCompilation(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (!run.timeline.host || !run.timed.run.wallNs) return;
  const Compilation found = compilationOf(run);
  const int64_t longerNs = run.longerNs();
  std::vector<std::pair<int64_t, std::string_view>> longest;
  const int64_t ns = found.reportedNs;
  for (const auto& [name, oneNs] : found.names) longest.emplace_back(-oneNs, name);
  if (shareOf(ns, longerNs) < kLeastSaving) return noteOthers(run, found);
  std::ranges::sort(longest);
  if (longest.size() > kMostCompilations) longest.resize(kMostCompilations);
  AdviceCandidate candidate;
  const std::string why =
      fmt::format("compilation and loading of code take {} of {} on the host, most of it `{}`",
                  formatPercent(shareOf(ns, longerNs)), run.longerName(), printable(longest.front().second));
  const schedule::RunModel* model = run.predicted().model;
  if (model == nullptr) return run.notes.push_back(why + ": " + std::string(run.remedy(Remedy::CompileOnce)));
  // Other threads than those that launch are not replayed.
  const std::vector<std::string> known = schedule::namesOfHostWork(model->calls);
  for (const auto& [negativeNs, name] : longest) {
    if (!std::ranges::binary_search(known, name)) continue;
    candidate.likely.push_back(withoutTime(ir::SelectorKind::HostOperator, name));
    candidate.selector += (candidate.selector.empty() ? "" : ";") + whatIfText(candidate.likely.back());
  }
  if (candidate.likely.empty()) return;
  candidate.change = fmt::format("compile before the iterations that count: {}", run.remedy(Remedy::CompileOnce));
  candidate.why = why;
  candidate.assumption = "later iterations use what was compiled";
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
