// Many launches, one by one: a graph launches them at once.

#include <fmt/format.h>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/runtimes/device_calls.h"
#include "replay/schedule/dropped_waits.h"
#include "support/plural.h"

namespace amdahlc {

void findGraph(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const schedule::RunModel* model = run.predicted().model;
  if (model == nullptr) return;
  size_t launches = 0;
  bool hasGraphs = false;
  for (const schedule::Call& call : model->calls.calls()) {
    const auto events = model->calls.launched(call);
    if (events.empty() || !run.reported.has(run.timeline.iteration[events.front()])) continue;
    ++launches;
    hasGraphs |= isGraphLaunch(model->calls.name(call));
  }
  const size_t perIteration = launches / static_cast<size_t>(run.reported.count());
  if (perIteration < 2) return;
  AdviceCandidate candidate = changeOfProgram(
      run, ir::ChangeKind::Graph, {},
      fmt::format("launch the work between two waits as one graph: {}", run.remedy(Remedy::Graph)),
      fmt::format("{} launches an iteration{}, one by one", perIteration, hasGraphs ? ", some of graphs" : ""));
  if (run.hasOneIteration()) candidate.assumption += ", which one recorded iteration does not tell";
  // What is between two waits may need a result that the host reads, and then it is not recorded once for all.
  const std::vector<bool> inTheMiddle = schedule::waitsInTheMiddle(*model);
  const HostFacts& host = model->calls.host();
  size_t waits = 0;
  for (schedule::CallIndex index = 0; index < inTheMiddle.size(); ++index)
    waits += inTheMiddle[index] && run.reported.has(host.iteration[model->calls.calls()[index].event]) ? 1 : 0;
  if (waits > 0)
    candidate.assumption += fmt::format(", also with {} in the middle of {}", plural(waits, "wait"),
                                        run.reported.count() == 1 ? "the iteration" : "the iterations");
  candidate.isCertain = !run.hasOneIteration() && waits == 0;
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
