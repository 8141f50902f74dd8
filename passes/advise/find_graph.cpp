// Many launches, one by one: a graph launches them at once.

#include <fmt/format.h>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/runtimes/device_calls.h"

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
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
